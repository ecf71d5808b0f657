import { toSafeLine } from "../text/plain/safe-text.ts";
import type { Fault, LoggedRequest } from "./records.ts";

/** @throws Error if a fault was never used, or less often than its `times`. */
export function assertAllUsed(faults: readonly Fault[]): void {
  const unused = faults.filter(({ used, times = 0 }) => used === 0 || times > 0);
  if (unused.length === 0) return;
  const lines = unused.map(({ id, on, effect, match, used, times }) => {
    const condition = match === undefined ? "" : ` where ${JSON.stringify(match)}`;
    const uses = times === undefined ? "never used" : `used ${used} of ${used + times} times`;
    return toSafeLine(`  ${id}: ${effect} on ${on}${condition}, ${uses}`);
  });
  throw new Error(["Faults are left that no call or webhook has used:", ...lines].join("\n"));
}

/** @throws Error if the gateway has refused a request. */
export function assertNoneRefused(requests: readonly LoggedRequest[]): void {
  const refused = requests.filter(({ status }) => status >= 400);
  if (refused.length === 0) return;
  const shown = refused.slice(0, MAX_LISTED).map((request) => `  ${describe(request)}`);
  const more = refused.length - shown.length;
  throw new Error(
    [
      `The gateway refused ${refused.length} of ${requests.length} calls:`,
      ...shown,
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join("\n"),
  );
}

const MAX_LISTED = 10;

function describe({ method, path, status, code, errors, message }: LoggedRequest): string {
  const fields = errors.map((error) => ` ${error.field} ${error.code}`).join(",");
  return toSafeLine(`${method} ${path}: ${status} ${code ?? ""}${fields}. ${message ?? ""}`);
}

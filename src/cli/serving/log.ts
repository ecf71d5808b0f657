import type { Activity } from "../../server/activity/activity.ts";
import type { CommandOptions } from "../../server/options/options.ts";
import type { Sandbox } from "../../server/activity/sandbox.ts";
import type { Io } from "../terminal/io.ts";

type Log = NonNullable<CommandOptions["log"]>;

/** What `serve` prints as it happens. */
export function logOf({
  log,
  json: isJson,
  quiet,
}: Pick<CommandOptions, "log" | "json" | "quiet">): {
  readonly log: Log;
  readonly isJson: boolean;
} {
  return { log: log ?? (isJson || quiet ? "none" : "all"), isJson };
}

/** Prints what happens in a sandbox: lines for people on stderr, or JSON lines on stdout. */
export function startLog(
  sandbox: Pick<Sandbox, "onActivity" | "url">,
  { log, isJson }: { readonly log: Log; readonly isJson: boolean },
  io: Io,
): void {
  if (log === "none") return;
  const isWanted = ({ kind }: Activity): boolean =>
    log === "all" || (log === "calls") === (kind === "call");
  // A start does not wait for it.
  const loading = import("../output/log-lines.ts");
  sandbox.onActivity((activity) => {
    if (!isWanted(activity)) return;
    void loading.then(({ renderActivity, renderJson }) => {
      if (isJson) io.log("stdout", renderJson(activity));
      else io.log("stderr", renderActivity(activity, sandbox.url, io));
    });
  });
}

import type { Noun, SeenCreation } from "../../review/observation.ts";
import { OWN_CLIENT_HEADER } from "../../wire/own-client-header.ts";
import type { Reviewer } from "../../review/reviewer.ts";
import { headerText } from "../../http/calls/headers.ts";
import { type LoggedRequest, requestId } from "../../http/context/request-log.ts";

/** Shows a gateway call to the reviewer, if it is one that creates something. */
export function reviewRequest(request: LoggedRequest, reviewer: Reviewer): void {
  const { integration, path, method, atMs, body, answer, durationMs } = request;
  const noun = method === "POST" ? CREATIONS.get(withoutQuery(path)) : undefined;
  if (!noun || integration === null) return;
  const key = headerText(readRaw(request, KEY_HEADER) ?? "");
  // Refused in any case: it has no outcome.
  if (key === "") return;
  if (readRaw(request, OWN_CLIENT_HEADER) !== undefined)
    return reviewer.seeOwnCreation(integration, key);
  const refusal = answer.status >= 400 ? refusalOf(answer.body) : NO_REFUSAL;
  const endedAtMs = reviewer.realMs;
  reviewer.seeCreation({
    noun,
    integration,
    requestId: requestId(request),
    method,
    path,
    atMs,
    startedAtMs: endedAtMs - durationMs,
    endedAtMs,
    key,
    body,
    status: answer.status,
    outcome: outcomeOf(request, refusal),
    keyUse: keyUseOf(request, refusal),
  });
}

const CREATIONS: ReadonlyMap<string, Noun> = new Map([
  ["/v1/payins", "payin"],
  ["/v2/payins", "payin"],
  ["/v1/payouts", "payout"],
]);
const KEY_HEADER = "x-idempotency-key";
const REPLAYED = "idempotent-replayed";
const INTERNAL_ERROR = 500;

/** The first value of a header; undefined if it was not sent. */
function readRaw({ rawHeaders }: LoggedRequest, name: string): string | undefined {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name)
      return rawHeaders[index + 1];
  return undefined;
}

function withoutQuery(path: string): string {
  const end = path.indexOf("?");
  return end < 0 ? path : path.slice(0, end);
}

function outcomeOf({ isLost, answer }: LoggedRequest, { code }: Refused): SeenCreation["outcome"] {
  if (isLost || answer.isLost) return "lost";
  // Every status can be 400 by assumption: the code tells.
  return answer.status >= INTERNAL_ERROR || code === "EXTERNAL_ERROR" ? "failed" : "known";
}

function keyUseOf({ answer }: LoggedRequest, { field }: Refused): SeenCreation["keyUse"] {
  if (field === KEY_HEADER) return "refused";
  return answer.headers[REPLAYED] === undefined ? "new" : "repeated";
}

/** What a refusal says: its code, and the first field that it names as used before. */
function refusalOf(body: unknown): Refused {
  if (typeof body !== "string") return NO_REFUSAL;
  try {
    const { code, errors = [] } = JSON.parse(body) as Refusal;
    return { code, field: errors.find((one) => one.code === "DUPLICATED_VALUE")?.field };
  } catch {
    return NO_REFUSAL;
  }
}

interface Refused {
  readonly code?: string;
  readonly field?: string | undefined;
}
const NO_REFUSAL: Refused = {};

interface Refusal {
  readonly code: string;
  readonly errors?: readonly { readonly code: string; readonly field: string }[];
}

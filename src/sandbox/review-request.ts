import type { Noun, SeenCreation } from "../core/review/observation.ts";
import type { Reviewer } from "../core/review/reviewer.ts";
import { headerText } from "../http/parse/headers.ts";
import { type LoggedRequest, requestId } from "../http/request-log.ts";

/** Shows a gateway call to the reviewer, if it is one that creates something. */
export function reviewRequest(request: LoggedRequest, reviewer: Reviewer): void {
  const { integration, path, method } = request;
  const noun = method === "POST" ? CREATIONS.get(path) : undefined;
  if (!noun || integration === null) return;
  const { atMs, body, answer } = request;
  reviewer.seeCreation({
    noun,
    integration,
    requestId: requestId(request),
    method,
    path,
    atMs,
    key: keyOf(request),
    body,
    status: answer.status,
    outcome: outcomeOf(request),
    isKeyRefused: answer.status >= 400 && refusalOf(answer.body).field === KEY_HEADER,
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

function keyOf({ rawHeaders }: LoggedRequest): string {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === KEY_HEADER)
      return headerText(rawHeaders[index + 1] ?? "");
  return "";
}

function outcomeOf({ isLost, answer }: LoggedRequest): SeenCreation["outcome"] {
  const { status, headers } = answer;
  if (isLost || answer.isLost) return "unknown";
  if (status < 400) return headers[REPLAYED] === undefined ? "created" : "repeated";
  // Every status can be 400 by assumption: the code tells.
  const isUnknown = status >= INTERNAL_ERROR || refusalOf(answer.body).code === "EXTERNAL_ERROR";
  return isUnknown ? "unknown" : "refused";
}

/** What a refusal says: its code, and the first field that it names as used before. */
function refusalOf(body: unknown): { readonly code?: string; readonly field?: string | undefined } {
  if (typeof body !== "string") return {};
  try {
    const { code, errors = [] } = JSON.parse(body) as Refusal;
    return { code, field: errors.find((one) => one.code === "DUPLICATED_VALUE")?.field };
  } catch {
    return {};
  }
}

interface Refusal {
  readonly code: string;
  readonly errors?: readonly { readonly code: string; readonly field: string }[];
}

import type { FaultyOperation } from "../../core/faults/effects.ts";
import type { Noun, SeenCreation } from "../../review/observation.ts";
import { OWN_CLIENT_HEADER } from "../../wire/own-client-header.ts";
import type { Reviewer } from "../../review/reviewer.ts";
import type { Refusal } from "../../http/calls/answer.ts";
import { headerText } from "../../http/calls/headers.ts";
import { type LoggedRequest, requestId } from "../../http/context/request-log.ts";

/** Shows a gateway call to the reviewer, if it is one that creates something. */
export function reviewRequest(request: LoggedRequest, reviewer: Reviewer): void {
  const { integration, path, method, atMs, body, answer, durationMs } = request;
  const { operation, isRepeat = false, refusal } = answer.outcome ?? {};
  const noun = operation && CREATIONS[operation];
  if (!noun || integration === null) return;
  const key = headerText(readRaw(request, KEY_HEADER) ?? "");
  // Refused in any case: it has no outcome.
  if (key === "") return;
  if (readRaw(request, OWN_CLIENT_HEADER) !== undefined)
    return reviewer.seeOwnCreation(integration, key);
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
    outcome: learnedFrom(request, refusal),
    keyUse: isKeyRefused(refusal) ? "refused" : isRepeat ? "repeated" : "new",
  });
}

const CREATIONS: Readonly<Partial<Record<FaultyOperation, Noun>>> = {
  "payins.create": "payin",
  "payouts.create": "payout",
};
const KEY_HEADER = "x-idempotency-key";
const INTERNAL_ERROR = 500;

/** The first value of a header; undefined if it was not sent. */
function readRaw({ rawHeaders }: LoggedRequest, name: string): string | undefined {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name)
      return rawHeaders[index + 1];
  return undefined;
}

function learnedFrom(
  { isLost, answer: { status } }: LoggedRequest,
  refusal: Refusal | undefined,
): SeenCreation["outcome"] {
  if (isLost) return "lost";
  // Every status can be 400 by assumption: the code tells.
  return status >= INTERNAL_ERROR || refusal?.code === "EXTERNAL_ERROR" ? "failed" : "known";
}

function isKeyRefused(refusal: Refusal | undefined): boolean {
  const used = refusal?.errors.find(({ code }) => code === "DUPLICATED_VALUE");
  return used?.field === KEY_HEADER;
}

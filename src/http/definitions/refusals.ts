import type { Assumptions } from "../../core/assumptions/table.ts";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { GatewayError, type TopLevelCode } from "../../core/records/errors.ts";
import { INJECTED_CODES } from "../../core/faults/effects.ts";
import { type ErrorFormat, toErrorAnswer } from "../calls/envelope.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import { verbatim } from "../../text/message.ts";

/** A reason for a refusal; its status is that of its code, unless it has one of its own. */
type Reason = { readonly code: TopLevelCode; readonly status?: number; readonly because: string };

export type RefusalName = keyof typeof REFUSALS;

export const REFUSALS = {
  malformed: {
    code: "VALIDATION_ERROR",
    because: "the request's address or its `Host` header is malformed.",
  },
  foreign: {
    code: "NOT_PROCESSABLE",
    status: 403,
    because: "the `Host` or the `Origin` is not allowed.",
  },
  invalid: {
    code: "VALIDATION_ERROR",
    because: "a header, a parameter or a member breaks its rule; `errors` has an entry for each.",
  },
  unreadable: { code: "VALIDATION_ERROR", because: "the body is not JSON, or not a JSON object." },
  tooLarge: {
    code: "VALIDATION_ERROR",
    status: 413,
    because: "the JSON body is larger than 1 MiB.",
  },
  notJson: {
    code: "VALIDATION_ERROR",
    status: 415,
    because: "the body's content type is not application/json in UTF-8, or it is compressed.",
  },
  noCredential: {
    code: "NO_ACTIVE_CREDENTIAL",
    because: "an identification header is missing or empty, or the credential is not listed.",
  },
  noControlToken: {
    code: "NO_ACTIVE_CREDENTIAL",
    status: 401,
    because: "the control token is missing or wrong.",
  },
  wrongControlTokens: {
    code: "NOT_PROCESSABLE",
    status: 429,
    because:
      "more than ten wrong control tokens came from one address within a minute; a right one is always accepted.",
  },
  duplicatedKey: {
    code: "DUPLICATED_VALUE",
    because: "`x-idempotency-key` was used before: for another request, or repeats are refused.",
  },
  rival: {
    code: "NOT_PROCESSABLE",
    because: "the receiver has a payout in progress.",
  },
  simulation: {
    code: "NOT_PROCESSABLE",
    because: "the transaction is unknown or already final, or the environment is production.",
  },
  final: { code: "NOT_PROCESSABLE", because: "the record's status does not allow it." },
  noWayBack: { code: "NOT_PROCESSABLE", because: "the sandbox's time does not go back." },
  unknownRecord: {
    code: "NOT_PROCESSABLE",
    status: 404,
    because: "no record has that id, or it belongs to another integration.",
  },
  unknownCode: {
    code: "NOT_PROCESSABLE",
    status: 404,
    because: "no payin of the integration has that BR Code, or it is another sandbox's.",
  },
  unknownSnapshot: {
    code: "NOT_PROCESSABLE",
    status: 404,
    because: "no snapshot has that name, or it belongs to another integration.",
  },
  damagedSnapshot: {
    code: "NOT_PROCESSABLE",
    because: "the snapshot's file is damaged; `message` names it.",
  },
  unknownPlace: {
    code: "NOT_PROCESSABLE",
    status: 404,
    because: "no delivery has the id in `since` or `last-event-id`.",
  },
  notConfigured: { code: "NOT_PROCESSABLE", status: 404, because: "no webhook is configured." },
  timedOut: {
    code: "NOT_PROCESSABLE",
    status: 408,
    because: "no matching delivery came in time; `seen` lists the nearest ones.",
  },
  tooMany: {
    code: "NOT_PROCESSABLE",
    status: 429,
    because:
      "the integration made too many requests within a minute; `retry-after` gives the seconds until the next is admitted.",
  },
  stopping: { code: "EXTERNAL_ERROR", status: 503, because: "the sandbox is stopping." },
  unwritable: {
    code: "EXTERNAL_ERROR",
    status: 503,
    because: "the sandbox cannot write its state file.",
  },
} as const satisfies Record<string, Reason>;

const INJECTED: readonly Reason[] = INJECTED_CODES.map((code) => ({
  code,
  because: "a fault, `x-sandbox-fault` or a magic value caused it.",
}));

/** One status of an operation: its reasons, and an example of the first. */
export interface DescribedRefusal {
  readonly status: number;
  readonly description: string;
  readonly example: unknown;
}

/** The reasons that are possible under the assumptions, by status. */
export function byStatus(
  reasons: readonly RefusalName[],
  assumptions: Assumptions,
  { canFail, format }: { readonly canFail: boolean; readonly format: ErrorFormat },
): readonly DescribedRefusal[] {
  const statuses = new Map<number, DescribedRefusal>();
  const possible: Reason[] = [...new Set(reasons)]
    .filter((name) => isPossible(name, assumptions))
    .map((name) => REFUSALS[name]);
  for (const reason of [...possible, ...(canFail ? INJECTED : [])]) {
    const { code, status = statusOf(code, assumptions), because } = reason;
    const sentence = `\`${code}\`: ${because}`;
    const others = statuses.get(status);
    statuses.set(status, {
      status,
      description: others ? `${others.description}\n\n${sentence}` : sentence,
      example: others ? others.example : exampleOf({ code, status, because }, assumptions, format),
    });
  }
  return [...statuses.values()].toSorted((one, other) => one.status - other.status);
}

function exampleOf(
  { code, status, because }: Required<Reason>,
  assumptions: Assumptions,
  format: ErrorFormat,
): unknown {
  const text = because.charAt(0).toUpperCase() + because.slice(1);
  const refusal = new HttpRefusal(status, code, verbatim(text));
  const { body } = toErrorAnswer(refusal, new AssumptionTrace(assumptions), format);
  return JSON.parse(body as string);
}

function isPossible(name: RefusalName, assumptions: Assumptions): boolean {
  if (name === "noCredential")
    return assumptions["header.missing"] === "unauthorized" || assumptions.credentials === "listed";
  if (name === "rival") return assumptions["payout.rival"] === "reject";
  if (name === "tooMany") return assumptions["rate_limit.per_minute"] > 0;
  return true;
}

function statusOf(code: TopLevelCode, assumptions: Assumptions): number {
  return toErrorAnswer(new GatewayError(code, verbatim("")), new AssumptionTrace(assumptions))
    .status;
}

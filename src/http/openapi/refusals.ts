import type { Assumptions } from "../../core/assumptions/table.ts";
import { untraced } from "../../core/assumptions/trace.ts";
import { GatewayError, type TopLevelCode } from "../../core/errors.ts";
import { INJECTED_CODES } from "../../core/faults/effects.ts";
import { type ErrorFormat, toErrorAnswer } from "../envelope.ts";
import { HttpRefusal } from "../refusals.ts";

/** Why a request can be refused: with a status of its own, or with the one that its code stands for. */
type Reason = { readonly code: TopLevelCode; readonly status?: number; readonly says: string };

export type RefusalName = keyof typeof REFUSALS;

export const REFUSALS = {
  malformed: {
    code: "VALIDATION_ERROR",
    says: "the request's address or its `Host` header is malformed.",
  },
  foreign: {
    code: "NOT_PROCESSABLE",
    status: 403,
    says: "the `Host` or the `Origin` is none that this sandbox answers.",
  },
  invalid: {
    code: "VALIDATION_ERROR",
    says: "a header, a parameter or a member breaks its rule; `errors` has an entry for each.",
  },
  unreadable: { code: "VALIDATION_ERROR", says: "the body is no JSON, or no JSON object." },
  tooLarge: { code: "VALIDATION_ERROR", status: 413, says: "the body is larger than 1 MiB." },
  notJson: {
    code: "VALIDATION_ERROR",
    status: 415,
    says: "the body's content type is not application/json in UTF-8, or it is compressed.",
  },
  noCredential: {
    code: "NO_ACTIVE_CREDENTIAL",
    says: "an identification header is missing or empty, or it names no credential that is listed.",
  },
  duplicatedKey: {
    code: "DUPLICATED_VALUE",
    says: "`x-idempotency-key` was used before, for another request or where no repeat is answered.",
  },
  rival: {
    code: "NOT_PROCESSABLE",
    says: "the receiver has a payout in progress.",
  },
  simulation: {
    code: "NOT_PROCESSABLE",
    says: "the transaction is unknown or already final, or the environment is production.",
  },
  final: { code: "NOT_PROCESSABLE", says: "the record's status does not allow it." },
  noWayBack: { code: "NOT_PROCESSABLE", says: "the sandbox's time does not go back." },
  unknownRecord: {
    code: "NOT_PROCESSABLE",
    status: 404,
    says: "there is no such record, or it belongs to another integration.",
  },
  unknownSnapshot: {
    code: "NOT_PROCESSABLE",
    status: 404,
    says: "there is no snapshot by that name, or it is not this integration's.",
  },
  damagedSnapshot: {
    code: "NOT_PROCESSABLE",
    says: "the snapshot's file is damaged; the sentence names it.",
  },
  unknownPlace: {
    code: "NOT_PROCESSABLE",
    status: 404,
    says: "there is no delivery with the id that was given as a place.",
  },
  notConfigured: { code: "NOT_PROCESSABLE", status: 404, says: "no webhook is configured." },
  timedOut: {
    code: "NOT_PROCESSABLE",
    status: 408,
    says: "it did not come in time; `seen` is what there was instead.",
  },
  tooMany: {
    code: "NOT_PROCESSABLE",
    status: 429,
    says: "the integration made too many requests within a minute; `retry-after` says when the next may come.",
  },
  stopping: { code: "EXTERNAL_ERROR", status: 503, says: "the sandbox is stopping." },
  unwritable: {
    code: "EXTERNAL_ERROR",
    status: 503,
    says: "the sandbox cannot write its state file.",
  },
} as const satisfies Record<string, Reason>;

/** What a call that can be made to fail is answered where somebody asked for that. */
const INJECTED: readonly Reason[] = INJECTED_CODES.map((code) => ({
  code,
  says: "a fault, `x-sandbox-fault` or a magic value asked for it.",
}));

/** One status of an operation: for which reasons it is answered, and how the first of them looks. */
export interface DescribedRefusal {
  readonly status: number;
  readonly description: string;
  readonly example: unknown;
}

/** The reasons that the assumptions leave, by the status that each is answered with. */
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
    const { code, status = statusOf(code, assumptions), says } = reason;
    const sentence = `\`${code}\`: ${says}`;
    const others = statuses.get(status);
    statuses.set(status, {
      status,
      description: others ? `${others.description}\n\n${sentence}` : sentence,
      example: others ? others.example : exampleOf({ code, status, says }, assumptions, format),
    });
  }
  return [...statuses.values()].toSorted((one, other) => one.status - other.status);
}

/** Asked of what answers it. */
function exampleOf(
  { code, status, says }: Required<Reason>,
  assumptions: Assumptions,
  format: ErrorFormat,
): unknown {
  const text = says.charAt(0).toUpperCase() + says.slice(1);
  const refusal = new HttpRefusal(status, code, { en: text, pt: text });
  const { body } = toErrorAnswer(refusal, untraced(assumptions), format);
  return JSON.parse(body as string);
}

function isPossible(name: RefusalName, assumptions: Assumptions): boolean {
  if (name === "noCredential")
    return assumptions["header.missing"] === "unauthorized" || assumptions.credentials === "listed";
  if (name === "rival") return assumptions["payout.rival"] === "reject";
  if (name === "tooMany") return assumptions["rate_limit.per_minute"] > 0;
  return true;
}

/** Asked of what answers it. */
function statusOf(code: TopLevelCode, assumptions: Assumptions): number {
  return toErrorAnswer(new GatewayError(code, { en: "", pt: "" }), untraced(assumptions)).status;
}

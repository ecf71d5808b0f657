import type { Assumptions } from "../../core/assumptions/table.ts";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { GatewayError, type TopLevelCode, TOP_LEVEL_CODES } from "../../core/records/errors.ts";
import { HttpRefusal, toErrorAnswer } from "../calls/refusals.ts";
import type { Route } from "../definitions/route.ts";
import { verbatim } from "../../text/message.ts";

/** A reason for a refusal. Its status is that of its code, unless it has one of its own. */
type Reason = readonly [isPossible: boolean, TopLevelCode, because: string, status?: number];

/** One status of a gateway route: its reasons, and an example of the first. */
interface DescribedRefusal {
  readonly status: number;
  readonly description: string;
  readonly example: unknown;
}

/** The refusals of a gateway route that are possible under these assumptions. */
export function refusalsOf(
  { gateway, operation }: Route,
  assumptions: Assumptions,
  isProblem: boolean,
): readonly DescribedRefusal[] {
  const { isKeyed = false, refusals = [], body } = gateway ?? {};
  const isFaulty = operation !== undefined;
  const canLackCredential =
    assumptions["header.missing"] === "unauthorized" || assumptions.credentials === "listed";
  const isRefused = refusals.includes("rival") && assumptions["payout.rival"] === "reject";
  const reasons: readonly Reason[] = [
    [true, "VALIDATION_ERROR", "the address, a header or a member of the body is invalid."],
    [true, "NOT_PROCESSABLE", "the `Host` or the `Origin` is not allowed.", 403],
    [canLackCredential, "NO_ACTIVE_CREDENTIAL", "an identification header is missing or unknown."],
    [isKeyed, "DUPLICATED_VALUE", "`x-idempotency-key` was used before, for another request."],
    [isRefused, "NOT_PROCESSABLE", "the receiver has a payout in progress."],
    [refusals.includes("simulation"), "NOT_PROCESSABLE", "the transaction is unknown or final."],
    [refusals.includes("simulation"), "NOT_PROCESSABLE", "the environment is production."],
    [refusals.includes("notConfigured"), "NOT_PROCESSABLE", "no webhook is configured.", 404],
    [assumptions["rate_limit.per_minute"] > 0, "NOT_PROCESSABLE", "too many requests.", 429],
    [true, "EXTERNAL_ERROR", "the sandbox cannot write its state.", 503],
    [body !== undefined, "VALIDATION_ERROR", "the body is larger than 1 MiB.", 413],
    [body !== undefined, "VALIDATION_ERROR", "the body is not plain JSON in UTF-8.", 415],
    ...TOP_LEVEL_CODES.map((code): Reason => [isFaulty, code, "a fault caused it."]),
  ];
  const trace = new AssumptionTrace(assumptions);
  const statuses = new Map<number, DescribedRefusal>();
  for (const [isPossible, code, because, own] of reasons) {
    if (!isPossible) continue;
    const text = verbatim(because.charAt(0).toUpperCase() + because.slice(1));
    const error = own === undefined ? new GatewayError(code, text) : new HttpRefusal(own, text);
    const language = assumptions["error.language"];
    const { status, body: shown } = toErrorAnswer(error, { language, isProblem, trace });
    const reason = `\`${code}\`: ${because}`;
    const { description, example = JSON.parse(shown as string) } = statuses.get(status) ?? {};
    const all = description === undefined ? reason : `${description}\n\n${reason}`;
    statuses.set(status, { status, description: all, example });
  }
  return [...statuses.values()].toSorted((one, other) => one.status - other.status);
}

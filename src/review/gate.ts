import { type Message, say } from "../text/message.ts";
import type { WireFinding, WireReview } from "./report.ts";
import type { RuleId } from "./rules.ts";

/** From which verdict on a rule fails a check: failures only, or warnings too. */
export const FAIL_LEVELS = ["warning", "error"] as const;
export type FailLevel = (typeof FAIL_LEVELS)[number];

/** What a check asks of a review. */
export interface Gate {
  /** Without it nothing fails the check. */
  readonly failOn?: FailLevel | undefined;
  /** Rules that do not count, each with its reason. */
  readonly ignored: ReadonlyMap<RuleId, string>;
  /** The integration that was judged, if it is not all of them. */
  readonly token?: string | undefined;
  /** Why there is nothing to judge, if the caller knows. */
  readonly unjudged?: Message | undefined;
}

/** Why a check fails. */
export interface Reason {
  readonly code: "RULES_BROKEN" | "NOTHING_JUDGED";
  readonly text: Message;
}

/** Marks the rules that do not count. The report shows each with its reason. */
export function withIgnored(review: WireReview, { ignored }: Pick<Gate, "ignored">): WireReview {
  const rules = review.rules.map((finding) => {
    // What excuses a mistake excuses what it alone causes.
    const reason =
      ignored.get(finding.id) ?? (finding.implied_by && ignored.get(finding.implied_by));
    return reason === undefined ? finding : { ...finding, ignored: reason };
  });
  return { ...review, rules };
}

/** Why a review, marked by {@link withIgnored}, does not pass; nothing if it does. */
export function reasonsToFail(review: WireReview, gate: Gate): readonly Reason[] {
  const { failOn } = gate;
  if (failOn === undefined) return [];
  const reasons: Reason[] = [];
  const broken = review.rules.filter((finding) => isFailure(finding, failOn));
  const names = broken.map(({ id }) => id).join(", ");
  if (names !== "") reasons.push({ code: "RULES_BROKEN", text: say`Rules broken: ${names}.` });
  const unjudged = whyUnjudged(review, gate);
  if (unjudged) reasons.push({ code: "NOTHING_JUDGED", text: unjudged });
  return reasons;
}

function isFailure({ verdict, ignored }: WireFinding, failOn: FailLevel): boolean {
  if (ignored !== undefined) return false;
  return verdict === "fail" || (verdict === "warning" && failOn === "warning");
}

/** Why a review says nothing about the integration, if so: it must not look like one that passed. */
export function whyUnjudged(
  { rules, assumptions }: WireReview,
  { token, unjudged }: Pick<Gate, "token" | "unjudged">,
): Message | undefined {
  if (unjudged) return unjudged;
  if (rules.some(({ verdict }) => verdict !== "not_seen")) return undefined;
  return token !== undefined && assumptions.length === 0
    ? say`No call used the token ${JSON.stringify(token)}, so no rule was judged.`
    : say`No rule was judged.`;
}

import { type Language, translate } from "../text/languages.ts";
import { joined, type Message, say } from "../text/message.ts";
import { type Verdict, VERDICT_WORDS } from "./labels.ts";
import { isBroken } from "./merge.ts";
import type { WireFinding, WireReview } from "./report.ts";
import type { RuleId } from "./rules.ts";

/** From which verdict on a rule fails a check: failures only, or warnings too. */
export const FAIL_LEVELS = ["warning", "error"] as const;
export type FailLevel = (typeof FAIL_LEVELS)[number];

/** What a check asks of a review. */
export interface Gate {
  /** Without it only `required` and `baseline` can fail the check. */
  readonly failOn?: FailLevel | undefined;
  /** Rules that must have passed. */
  readonly required: readonly RuleId[];
  /** Rules that do not count, each with its reason. */
  readonly ignored: ReadonlyMap<RuleId, string>;
  /** An earlier review: what is no worse than there does not count. Rules that it lacks were not seen. */
  readonly baseline?: Baseline | undefined;
  /** The integration that was judged, if it is not all of them. */
  readonly token?: string | undefined;
  /** The rule that the check judges by an effect. */
  readonly effect?: RuleId | undefined;
}

/** The verdicts of an earlier review, which can be that of another version. */
export interface Baseline {
  readonly rules: readonly { readonly id: string; readonly verdict: Verdict }[];
}

/** Why a check fails. */
export interface Reason {
  readonly code: "RULES_BROKEN" | "RULES_REQUIRED" | "NOTHING_JUDGED";
  readonly text: Message;
}

/** Marks the rules that do not count. The report shows each with its reason. */
export function withIgnored(
  review: WireReview,
  { ignored, baseline }: Pick<Gate, "ignored" | "baseline">,
  language: Language,
): WireReview {
  const known = translate(say`It is in the baseline.`, language);
  const before = new Map(baseline?.rules.map(({ id, verdict }) => [id, verdict]));
  const reasonOf = (finding: WireFinding): string | undefined =>
    ignored.get(finding.id) ?? (isKnown(finding, before) ? known : undefined);
  const byId = new Map(review.rules.map((finding) => [finding.id, finding]));
  const rules = review.rules.map((finding) => {
    const cause = finding.implied_by && byId.get(finding.implied_by);
    // What excuses a mistake excuses what it alone causes.
    const reason = reasonOf(finding) ?? (cause && reasonOf(cause));
    return reason === undefined ? finding : { ...finding, ignored: reason };
  });
  return { ...review, rules };
}

/** Whether a rule was broken in the baseline at least as badly. */
function isKnown({ id, verdict }: WireFinding, before: ReadonlyMap<string, Verdict>): boolean {
  return isBroken({ verdict }) && [verdict, "fail"].includes(before.get(id) ?? "not_seen");
}

/** Why a review, marked by {@link withIgnored}, does not pass; nothing if it does. */
export function reasonsToFail(review: WireReview, gate: Gate): readonly Reason[] {
  const { required, baseline, failOn = baseline && "warning" } = gate;
  if (failOn === undefined && required.length === 0) return [];
  const reasons: Reason[] = [];
  const broken = review.rules.filter((finding) => isFailure(finding, failOn));
  const names = broken.map(({ id }) => id).join(", ");
  if (names !== "") reasons.push({ code: "RULES_BROKEN", text: say`Rules broken: ${names}.` });
  const missing = review.rules
    .filter(({ id, verdict }) => required.includes(id) && verdict !== "pass")
    .map(({ id, verdict }) => say`${id} (${VERDICT_WORDS[verdict]})`);
  const states = joined(missing, ", ");
  if (missing.length > 0)
    reasons.push({ code: "RULES_REQUIRED", text: say`Required, but not passed: ${states}.` });
  const unjudged = whyUnjudged(review, gate);
  if (unjudged) reasons.push({ code: "NOTHING_JUDGED", text: unjudged });
  return reasons;
}

function isFailure({ verdict, ignored }: WireFinding, failOn: FailLevel | undefined): boolean {
  if (ignored !== undefined || failOn === undefined) return false;
  return verdict === "fail" || (verdict === "warning" && failOn === "warning");
}

/** Why a review says nothing about the integration, if so: it must not look like one that passed. */
export function whyUnjudged(
  { rules, assumptions }: WireReview,
  { token, effect }: Pick<Gate, "token" | "effect">,
): Message | undefined {
  if (rules.every(({ verdict }) => verdict === "not_seen"))
    return token !== undefined && assumptions.length === 0
      ? say`No call used the token ${JSON.stringify(token)}, so no rule was judged.`
      : say`No rule was judged.`;
  const shown = rules.find(({ id, verdict }) => id === effect && verdict === "not_seen");
  return shown && say`The effect shows nothing about ${shown.id}: ${shown.says}`;
}

import { findingsOf, type Observed } from "./finding.ts";
import { toWireFinding, type WireFinding, type WireReview } from "./report.ts";
import { impliedBy, RULE_IDS, type RuleId } from "./rules.ts";
import type { Language } from "../text/languages.ts";

/** Adds what was observed outside the sandbox to its review: those rules are judged by it. */
export function withObserved(
  review: WireReview,
  observed: ReadonlyMap<RuleId, Observed>,
  language: Language,
): WireReview {
  const added = findingsOf(observed).filter(({ id }) => observed.has(id));
  const replaced = new Map(added.map((one) => [one.id, toWireFinding(one, language)]));
  const rules = review.rules.map((finding) => replaced.get(finding.id) ?? finding);
  const broken = new Set(rules.filter(isBroken).map(({ id }) => id));
  return { ...review, rules: rules.map((finding) => withCause(finding, broken, observed)) };
}

/** Whether a finding reports a mistake. */
export function isBroken({ verdict }: Pick<WireFinding, "verdict">): boolean {
  return verdict === "fail" || verdict === "warning";
}

/** The review knows which of its own rules explain each other: only what was observed can add a cause. */
function withCause(
  finding: WireFinding,
  broken: ReadonlySet<RuleId>,
  observed: ReadonlyMap<RuleId, Observed>,
): WireFinding {
  const { implied_by: before, ...rest } = finding;
  if (!isBroken(finding)) return rest;
  const cause = RULE_IDS.find(
    (id) =>
      broken.has(id) &&
      impliedBy(id).includes(finding.id) &&
      (id === before || observed.has(id) || observed.has(finding.id)),
  );
  return cause === undefined ? rest : { ...rest, implied_by: cause };
}

import { describe, expect, it } from "vitest";
import { type Gate, reasonsToFail, withIgnored } from "../../src/review/gate.ts";
import type { Verdict } from "../../src/review/labels.ts";
import { toJunit } from "../../src/review/junit.ts";
import { toMarkdown } from "../../src/review/markdown.ts";
import type { WireReview } from "../../src/review/report.ts";
import type { RuleId } from "../../src/review/rules.ts";
import { english } from "../../src/text/languages.ts";

type Verdicts = Partial<Record<RuleId, Verdict>>;

const rulesOf = (verdicts: Verdicts) =>
  Object.entries(verdicts).map(([id, verdict]) => ({
    id: id as RuleId,
    verdict,
    says: "It says.",
    evidence: [],
  }));
const review = (verdicts: Verdicts): WireReview => ({ rules: rulesOf(verdicts), assumptions: [] });
const reasons = (verdicts: Verdicts, options: Partial<Gate>): readonly string[] => {
  const gate: Gate = { ignored: new Map(), ...options };
  const marked = withIgnored(review(verdicts), gate);
  return reasonsToFail(marked, gate).map(({ text }) => english(text));
};

const MIXED = {
  duplicate_refused: "fail",
  retry_storm: "warning",
  cancel_loop: "pending",
  webhook_answer_slow: "pass",
  early_webhook_lost: "not_seen",
} as const;

describe("a gate", () => {
  it.each<[Partial<Gate>, readonly string[]]>([
    [{}, []],
    [{ failOn: "error" }, ["Rules broken: duplicate_refused."]],
    [{ failOn: "warning" }, ["Rules broken: duplicate_refused, retry_storm."]],
    [{ failOn: "error", ignored: new Map([["duplicate_refused", "known"]]) }, []],
  ])("with %j fails for the right reasons", (options, expected) => {
    expect(reasons(MIXED, options)).toEqual(expected);
  });

  it("excuses with a rule what that rule alone causes", () => {
    const rules = rulesOf({ cancel_loop: "fail", canceled_payout_ignored: "warning" });
    const caused = rules.map((one) =>
      one.id === "cancel_loop" ? one : { ...one, implied_by: "cancel_loop" as const },
    );
    const gate = { ignored: new Map([["cancel_loop", "known"] as const]) };
    const excused = withIgnored({ rules: caused, assumptions: [] }, gate);
    expect(excused.rules.map(({ ignored }) => ignored)).toEqual(["known", "known"]);
    expect(reasonsToFail(excused, { ...gate, failOn: "warning" })).toEqual([]);
    const alone = withIgnored({ rules, assumptions: [] }, gate);
    expect(reasonsToFail(alone, { ...gate, failOn: "warning" })).toHaveLength(1);
  });

  it("does not pass a run in which nothing was judged", () => {
    const nothing = { retry_storm: "not_seen" } as const;
    expect(reasons(nothing, { failOn: "error" })).toEqual(["No rule was judged."]);
    expect(reasons(nothing, { failOn: "error", token: "ci" })).toEqual([
      'No call used the token "ci", so no rule was judged.',
    ]);
    expect(reasons(nothing, {})).toEqual([]);
  });

  it("shows in each form what does not count, with its reason", () => {
    const marked = withIgnored(review(MIXED), {
      ignored: new Map([["duplicate_refused", "no <queue> yet"]]),
    });
    expect(marked.rules[0]).toMatchObject({ verdict: "fail", ignored: "no <queue> yet" });
    const xml = toJunit(marked);
    expect(xml).toContain('failures="0" errors="0" skipped="3"');
    expect(xml).toContain('<skipped message="no &lt;queue&gt; yet">It says.</skipped>');
    const text = toMarkdown(marked, "en");
    expect(text).toContain("0 failures, 1 warning, 1 pending, 1 passed, 1 not seen, 1 ignored");
    expect(text).toContain("- `12 duplicate_refused` (failure): no \\<queue\\> yet");
  });
});

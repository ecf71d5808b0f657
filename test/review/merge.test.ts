import { expect, it } from "vitest";
import { type Evidence, findingsOf, type Observed } from "../../src/review/finding.ts";
import { withObserved } from "../../src/review/merge.ts";
import { toWireReview } from "../../src/review/report.ts";
import type { RuleId } from "../../src/review/rules.ts";
import { say } from "../../src/text/message.ts";

const EVIDENCE: Evidence = { atMs: 0, text: say`Seen.`, command: "true" };
const BROKEN: Observed = { isKept: false, broken: [EVIDENCE] };
const brokenBy = (deliveryId: string): Observed => ({
  isKept: false,
  broken: [{ ...EVIDENCE, deliveryId }],
});
const KEPT: Observed = { isKept: true, broken: [] };

const review = (observed: readonly [RuleId, Observed][]) =>
  toWireReview({ rules: findingsOf(new Map(observed)), assumptions: [] }, "en");

it.each<[string, [RuleId, Observed][], [RuleId, Observed][]]>([
  ["a cause", [["concurrent_duplicates_act_twice", BROKEN]], [["duplicate_acts_twice", BROKEN]]],
  [
    "what is implied",
    [["duplicate_acts_twice", BROKEN]],
    [["concurrent_duplicates_act_twice", BROKEN]],
  ],
  [
    "a rule to mistakes that do not explain each other",
    [
      ["webhook_answer_redirects", brokenBy("evt_1")],
      ["webhook_never_received", brokenBy("evt_2")],
    ],
    [["duplicate_acts_twice", KEPT]],
  ],
  ["a rule that was kept", [["webhook_answer_slow", BROKEN]], [["duplicate_acts_twice", KEPT]]],
])("adding %s gives the review of everything together", (_title, seen, added) => {
  expect(withObserved(review(seen), new Map(added), "en")).toEqual(review([...seen, ...added]));
});

it("removes a cause that is none any more", () => {
  const seen: [RuleId, Observed][] = [
    ["webhook_answer_redirects", BROKEN],
    ["webhook_never_received", BROKEN],
  ];
  const merged = withObserved(review(seen), new Map([["webhook_answer_redirects", KEPT]]), "en");
  expect(merged.rules.find(({ id }) => id === "webhook_never_received")).not.toHaveProperty(
    "implied_by",
  );
});

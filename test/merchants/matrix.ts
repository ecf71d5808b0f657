import { beforeAll, describe, expect, it } from "vitest";
import { RULE_IDS, type RuleId, ruleOf } from "../../src/review/rules.ts";
import { BAD, brokenIn, GOOD, judge, judgeAll, type Verdicts, withImplied } from "./judge.ts";

/** Describes what the reviewer says of the merchant without a mistake, and of those that break these rules. */
export function describeMerchants(rules: readonly RuleId[]): void {
  describe("the merchants under all rules", { timeout: 240_000 }, () => {
    let judged: ReadonlyMap<string, Promise<Verdicts>> = new Map();
    beforeAll(() => {
      judged = judgeAll([GOOD, ...rules.map(nameOf)], judge);
    });

    it("are one for each rule", () => {
      expect([...BAD.keys()]).toEqual(RULE_IDS);
    });

    it("a merchant without a mistake breaks no rule, and each rule had its chance", async () => {
      const verdicts = await judged.get(GOOD);
      expect(RULE_IDS.filter((id) => verdicts?.get(id) !== "pass")).toEqual([]);
    });

    it.each(rules)("%s: its merchant breaks it, and only what that implies", async (id) => {
      const verdicts = (await judged.get(nameOf(id))) ?? new Map();
      expect(verdicts.get(id)).toBe(ruleOf(id).severity === "failure" ? "fail" : "warning");
      const implied = withImplied(id);
      expect(brokenIn(verdicts).filter((other) => !implied.has(other))).toEqual([]);
    });
  });
}

function nameOf(rule: RuleId): string {
  return BAD.get(rule) ?? "";
}

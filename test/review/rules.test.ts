import { describe, expect, it } from "vitest";
import { findingsOf, MAX_COUNTED, MAX_EVIDENCE, type Observed } from "../../src/review/finding.ts";
import { impliedBy, RULE_IDS, type RuleId, ruleOf } from "../../src/review/rules.ts";
import { say } from "../../src/text/message.ts";
import { wordsOf } from "../support/words.ts";

describe("the rules", () => {
  it("imply other rules that exist, and that imply none themselves", () => {
    for (const id of RULE_IDS)
      for (const implied of impliedBy(id)) {
        expect(RULE_IDS).toContain(implied);
        expect(implied).not.toBe(id);
        expect(impliedBy(implied)).toEqual([]);
      }
  });
});

describe("the findings", () => {
  const evidence = (atMs: number) => ({ atMs, text: say`a`, command: "c" });
  const broken = (count: number): Observed => ({
    isKept: true,
    broken: Array.from({ length: count }, (_, index) => evidence(index)),
  });
  const findings = (observed: Partial<Record<RuleId, Observed>>) =>
    new Map(
      findingsOf(new Map(Object.entries(observed) as [RuleId, Observed][])).map((one) => [
        one.id,
        one,
      ]),
    );

  it("say that nothing was seen of a rule, and what it needs", () => {
    const { verdict, text } = findings({}).get("duplicate_refused") ?? {};
    expect([verdict, text]).toEqual(["not_seen", ruleOf("duplicate_refused").chance]);
    const unseen = say`Why.`;
    expect(
      findings({ duplicate_refused: { isKept: false, broken: [], unseen } }).get(
        "duplicate_refused",
      ),
    ).toMatchObject({ verdict: "not_seen", text: unseen });
  });

  it("count the cases, and show the newest", () => {
    const of = (count: number) =>
      findings({ webhook_never_received: broken(count) }).get("webhook_never_received");
    expect(of(1)?.text).toEqual(ruleOf("webhook_never_received").mistake);
    expect(wordsOf(of(2)?.text)).toMatch(/Seen 2 times\.$/);
    expect(wordsOf(of(MAX_COUNTED)?.text)).toMatch(/Seen at least 100 times\.$/);
    expect(of(30)?.evidence.map(({ atMs }) => atMs)).toEqual(
      Array.from({ length: MAX_EVIDENCE }, (_, index) => index + 10),
    );
  });

  it("say which assumption a mistake depends on, and nothing about it otherwise", () => {
    const id = "webhook_answer_not_200";
    const { text, dependsOn } = findings({ [id]: broken(1) }).get(id) ?? {};
    expect(dependsOn).toEqual(["webhook.success"]);
    expect(wordsOf(text)).toMatch(/ This depends on an assumption: `webhook\.success`\.$/);
    expect(wordsOf(text, "pt")).toMatch(/ Depende de uma premissa: `webhook\.success`\.$/);
    const kept = findings({ [id]: { isKept: true, broken: [] } }).get(id);
    expect(kept).toMatchObject({ verdict: "pass", text: ruleOf(id).kept });
    expect(kept).not.toHaveProperty("dependsOn");
  });

  it("name the first broken rule that can be the cause", () => {
    const all = findings({
      webhook_never_received: broken(1),
      valid_signature_refused: broken(1),
      duplicate_refused: broken(1),
      key_reused_with_other_body: broken(1),
    });
    expect(all.get("webhook_never_received")?.impliedBy).toBe("valid_signature_refused");
    expect(all.get("valid_signature_refused")?.impliedBy).toBeUndefined();
    expect(
      findings({ webhook_never_received: broken(1) }).get("webhook_never_received")?.impliedBy,
    ).toBeUndefined();
  });

  it("do not name a cause that is not about the same webhooks", () => {
    const about = (...ids: string[]): Observed => ({
      isKept: false,
      broken: ids.map((deliveryId, index) => ({ ...evidence(index), deliveryId })),
    });
    const cause = (received: Observed, ...redirects: string[]) =>
      findings({
        webhook_never_received: received,
        webhook_answer_redirects: about(...redirects),
      }).get("webhook_never_received")?.impliedBy;
    expect(cause(about("a", "b"), "a", "b", "c")).toBe("webhook_answer_redirects");
    expect(cause(about("a", "b"), "a")).toBeUndefined();
    const many = Array.from({ length: MAX_COUNTED }, (_none, index) => `other-${index}`);
    expect(cause(about("a"), ...many)).toBe("webhook_answer_redirects");
    expect(cause(broken(1), "a")).toBe("webhook_answer_redirects");
  });
});

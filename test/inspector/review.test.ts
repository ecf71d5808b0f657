import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/index.ts";
import { RULE_IDS, type RuleId, ruleOf } from "../../src/review/rules.ts";
import {
  causesOf,
  countOf,
  needsOf,
  questionsText,
  recordsOf,
} from "../../src/inspector/state/review.ts";
import type { WireEvidence, WireFinding } from "../../src/inspector/state/wire.ts";
import { english, translate } from "../../src/text/languages.ts";

const EVIDENCE: WireEvidence = {
  at: "2026-11-21T12:00:00.000Z",
  says: "Seen.",
  command: "npx pix-sandbox requests",
};

/** Findings on all rules: those that are not given were not seen. */
function findings(given: Partial<Record<RuleId, Partial<WireFinding>>>): readonly WireFinding[] {
  return RULE_IDS.map((id) => ({
    id,
    verdict: "not_seen",
    says: "Run check-webhook.",
    evidence: [],
    ...given[id],
  }));
}

describe("a review on the page", () => {
  it("has failures before warnings, and what a cause implies beneath it", () => {
    const rules = findings({
      charge_created_twice: { verdict: "warning" },
      webhook_answer_redirects: { verdict: "fail" },
      webhook_never_received: { verdict: "fail", implied_by: "webhook_answer_redirects" },
      duplicate_refused: { verdict: "fail" },
      webhook_answer_slow: { verdict: "pass" },
    });
    const causes = causesOf({ rules: [...rules] });
    expect(causes.map(({ finding, implied }) => [finding.id, implied.map(({ id }) => id)])).toEqual(
      [
        ["webhook_answer_redirects", ["webhook_never_received"]],
        ["duplicate_refused", []],
        ["charge_created_twice", []],
      ],
    );
    expect(countOf({ rules: [...rules] }, "fail")).toBe(3);
    expect(countOf({ rules: [...rules] }, "pass")).toBe(1);
  });

  it("shows each broken rule once, also below a cause that is implied itself", () => {
    const rules = findings({
      signature_not_checked: { verdict: "fail" },
      old_timestamp_accepted: { verdict: "fail", implied_by: "signature_not_checked" },
      bad_signature_accepted: { verdict: "fail", implied_by: "old_timestamp_accepted" },
      // Its cause is not broken any more.
      webhook_never_received: { verdict: "fail", implied_by: "duplicate_refused" },
    });
    expect(
      causesOf({ rules: [...rules] }).map(({ finding, implied }) => [
        finding.id,
        implied.map(({ id }) => id),
      ]),
    ).toEqual([
      ["webhook_never_received", []],
      ["signature_not_checked", ["bad_signature_accepted", "old_timestamp_accepted"]],
    ]);
  });

  it("groups the rules that were not seen by what they need", () => {
    const rules = findings({
      key_reused_with_other_body: { says: "Repeat a call." },
      webhook_answer_slow: { verdict: "pass", says: "Repeat a call." },
    });
    const needs = needsOf({ rules: [...rules] });
    expect([...needs.keys()]).toEqual(["Run check-webhook.", "Repeat a call."]);
    expect(needs.get("Repeat a call.")?.map(({ id }) => id)).toEqual([
      "key_reused_with_other_body",
    ]);
  });

  it("has the questions as plain text", () => {
    const text = questionsText({
      assumptions: [
        { name: "webhook.success", choice: "2xx", question: "Which statuses?" },
        { name: "value.unit", choice: "reais", question: "Which unit?" },
      ],
    });
    expect(english(text)).toBe(`Questions about your Pix API:

1. Which statuses?
   We assume: 2xx (webhook.success)

2. Which unit?
   We assume: reais (value.unit)`);
    expect(translate(text, "pt")).toBe(`Perguntas sobre a API Pix de vocês:

1. Which statuses?
   Supomos: 2xx (webhook.success)

2. Which unit?
   Supomos: reais (value.unit)`);
  });

  it("links to the request, the delivery and the transaction of evidence", () => {
    const known = { isPayout: () => false, delivery: () => undefined };
    expect(
      recordsOf({ ...EVIDENCE, request: "req_1", delivery: "evt_1", transaction: "0b0e" }, known),
    ).toEqual([
      { pane: "requests", id: "req_1" },
      { pane: "webhooks", id: "evt_1" },
      { pane: "payins", id: "0b0e" },
    ]);
    expect(recordsOf(EVIDENCE, known)).toEqual([]);
  });

  it("links to a payin if the webhook is unknown, or that of a payin", () => {
    const evidence = { ...EVIDENCE, delivery: "evt_1", transaction: "0b0e" };
    for (const delivery of [undefined, { type: "payin.paid" }, { type: "payment.failed" }] as const)
      expect(
        recordsOf(evidence, { isPayout: () => false, delivery: () => delivery }).at(-1)?.pane,
      ).toBe("payins");
    expect(
      recordsOf(
        { ...EVIDENCE, transaction: "0b0e" },
        {
          isPayout: () => false,
          delivery: () => ({ type: "payout.canceled" }),
        },
      ),
    ).toEqual([{ pane: "payins", id: "0b0e" }]);
  });

  it("links to a payout that the page has, or whose webhook it has", () => {
    const evidence = { ...EVIDENCE, delivery: "evt_1", transaction: "0b0e" };
    expect(
      recordsOf(evidence, { isPayout: () => true, delivery: () => undefined }).at(-1)?.pane,
    ).toBe("payouts");
    expect(
      recordsOf(evidence, {
        isPayout: () => false,
        delivery: () => ({ type: "payout.canceled" }),
      }).at(-1)?.pane,
    ).toBe("payouts");
  });

  it("has the texts of the rules from the sandbox, in the page's language", async () => {
    await using sandbox = await startSandbox({ seed: "1" });
    const response = await sandbox.fetch("/_sandbox/report/rules", {
      headers: { "x-sandbox-language": "pt" },
    });
    const { data } = (await response.json()) as { data: readonly unknown[] };
    expect(data).toHaveLength(RULE_IDS.length);
    const { mistake, harm, change } = ruleOf("webhook_answer_redirects");
    expect(data[6]).toEqual({
      id: "webhook_answer_redirects",
      number: 7,
      mistake: translate(mistake, "pt"),
      harm: translate(harm, "pt"),
      change: translate(change, "pt"),
    });
  });
});

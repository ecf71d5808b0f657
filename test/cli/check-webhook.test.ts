import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WireReview } from "../../src/core/review/report.ts";
import { runMain, type ServingMain, serveMain } from "../support/main.ts";
import {
  type Answer,
  type Answering,
  type Received,
  startMerchant,
  verified,
} from "../support/merchant.ts";

let sandbox: ServingMain;
beforeAll(async () => {
  sandbox = await serveMain(["--memory"]);
});
afterAll(() => sandbox[Symbol.asyncDispose]());

/** Checks a handler. @returns the ids of the rules with each verdict */
async function check(answer: Answer | Answering, ...args: string[]) {
  await using merchant = await startMerchant({ answer });
  return await checkAt(merchant.url, ...args);
}

async function checkAt(url: string, ...args: string[]) {
  const command = ["check-webhook", url, "--json", "--url", sandbox.url];
  const { code, stdout } = await runMain([...command, ...args]);
  const review = JSON.parse(stdout) as WireReview;
  const of = (verdict: string) =>
    review.rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id);
  return { code, pass: of("pass"), fail: of("fail"), warning: of("warning"), review };
}

/** A handler that verifies as the package for merchants does. */
const correct = (received: Received): number => {
  try {
    verified(received, sandbox.secret);
    return 200;
  } catch {
    return 401;
  }
};

describe("check-webhook", { timeout: 60_000 }, () => {
  it("passes a correct handler", async () => {
    const { code, pass, fail, warning, review } = await check(correct);

    expect({ code, fail, warning }).toEqual({ code: 0, fail: [], warning: [] });
    expect(pass).toEqual([
      "webhook_answer_slow",
      "webhook_answer_not_200",
      "webhook_answer_redirects",
      "webhook_never_received",
      "valid_signature_refused",
      "duplicate_refused",
      "bad_signature_accepted",
      "signature_not_checked",
      "old_timestamp_accepted",
      "body_reserialised",
      "unknown_type_refused",
    ]);
    expect(review.rules).toHaveLength(24);
    expect(review.assumptions.map(({ name }) => name)).toContain("webhook.signature");
  });
});

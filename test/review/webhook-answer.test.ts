import { describe, expect, it } from "vitest";
import { isDistrust, isSuccess, judgeWebhookAnswer } from "../../src/review/webhook-answer.ts";

describe("a merchant's answer to a webhook", () => {
  it.each([
    [200, 5000, { slow: false, not_200: false, redirects: false }],
    [200, 5001, { slow: true, not_200: false, redirects: false }],
    [201, 1, { slow: false, not_200: true, redirects: false }],
    [299, 1, { slow: false, not_200: true, redirects: false }],
    [300, 1, { slow: false, redirects: true }],
    [399, 1, { slow: false, redirects: true }],
    [400, 1, { slow: false, redirects: false }],
    [199, 1, { slow: false, redirects: false }],
    [null, 5001, { slow: true }],
    [null, 5000, {}],
  ])("%s after %d ms is judged as %o", (status, durationMs, expected) => {
    const judged = judgeWebhookAnswer({ status, durationMs }, true).map(
      ([rule, isBroken]) => [rule.replace("webhook_answer_", ""), isBroken] as const,
    );
    expect(Object.fromEntries(judged)).toEqual(expected);
  });

  it("may be another 2xx, unless only 200 counts", () => {
    const rules = judgeWebhookAnswer({ status: 204, durationMs: 1 }, false).map(([rule]) => rule);
    expect(rules).toEqual(["webhook_answer_slow", "webhook_answer_redirects"]);
  });

  it("is a success from 200 to 299", () => {
    const statuses = [null, 0, 199, 200, 299, 300, 500];
    expect(statuses.filter(isSuccess)).toEqual([200, 299]);
  });

  it("shows distrust by 400, 401 and 403", () => {
    const statuses = [null, 200, 400, 401, 402, 403, 404, 500];
    expect(statuses.filter(isDistrust)).toEqual([400, 401, 403]);
  });
});

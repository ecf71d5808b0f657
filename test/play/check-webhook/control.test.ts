import { describe, expect, it } from "vitest";
import { judgeControl, mayBeUnknown } from "../../../src/play/check-webhook/control.ts";

describe("the response to a valid webhook", () => {
  const brokenBy = (status: number | null, knowsTransaction: boolean, durationMs = 1) =>
    judgeControl({ status, durationMs, error: null }, knowsTransaction, true).broken;

  it.each([
    [200, []],
    [204, ["webhook_answer_not_200"]],
    [302, ["webhook_answer_redirects", "webhook_never_received"]],
    [400, ["valid_signature_refused", "webhook_never_received"]],
    [401, ["valid_signature_refused", "webhook_never_received"]],
    [403, ["valid_signature_refused", "webhook_never_received"]],
    [405, ["webhook_never_received"]],
    [500, ["webhook_never_received"]],
    [null, ["webhook_never_received"]],
  ])("%s breaks %j, whether the handler knows the transaction or not", (status, broken) => {
    expect([brokenBy(status, true), brokenBy(status, false)]).toEqual([broken, broken]);
  });

  it.each([404, 409, 410, 422, 425, 429, 503])(
    "%s breaks nothing as long as the handler may not know the transaction",
    (status) => {
      expect(brokenBy(status, false)).toEqual([]);
      expect(brokenBy(status, true)).toEqual(["webhook_never_received"]);
    },
  );

  it("keeps the rules that it has not broken", () => {
    const { broken, kept } = judgeControl(
      { status: 200, durationMs: 5001, error: null },
      true,
      true,
    );
    expect(broken).toEqual(["webhook_answer_slow"]);
    expect(kept).toEqual([
      "webhook_answer_not_200",
      "webhook_answer_redirects",
      "webhook_never_received",
      "valid_signature_refused",
    ]);
  });

  it.each([
    [null, false],
    [302, false],
    [399, false],
    [400, true],
    [503, true],
  ])("%s can mean that the transaction is not known: %s", (status, expected) => {
    expect(mayBeUnknown({ status, durationMs: 1, error: null })).toBe(expected);
  });
});

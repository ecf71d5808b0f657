import { describe, expect, it } from "vitest";
import { type PayinStatus, settlePayin } from "../../../src/core/records/payin.ts";
import { type PayoutOutcome, settlePayout } from "../../../src/core/records/payout.ts";
import { payin, payout, START_MS } from "../../support/core.ts";

const PAYIN_STATUSES = ["waiting", "paid", "completed", "canceled", "expired"] as const;
const PAYOUT_STATUSES = ["waiting", "completed", "canceled"] as const;
const END_TO_END_ID = "E12345678202611211201abcdefghijk";

/** Each status of a record, and its settlement: `waiting` is the only one that another may follow. */
const RECORDS = [
  ...PAYIN_STATUSES.map((status) => {
    const before = payin({ status, settledAtMs: status === "waiting" ? null : START_MS });
    const settle = (next: string, endToEndId: string | null) =>
      settlePayin(before, next as PayinStatus, START_MS + 1, endToEndId);
    return { noun: "payin", status, before, settle, statuses: PAYIN_STATUSES };
  }),
  ...PAYOUT_STATUSES.map((status) => {
    const before = payout({ status, settledAtMs: status === "waiting" ? null : START_MS });
    const settle = (next: string, endToEndId: string | null) =>
      settlePayout(before, next as PayoutOutcome, START_MS + 1, endToEndId);
    return { noun: "payout", status, before, settle, statuses: PAYOUT_STATUSES };
  }),
];

describe.each(RECORDS)("a $noun that is $status", ({ noun, status, before, settle, statuses }) => {
  const others = statuses.filter((next) => next !== "waiting");
  const allowed = status === "waiting" ? others : [];

  it.each(allowed)("can become %s", (next) => {
    expect(settle(next, END_TO_END_ID)).toEqual({
      ...before,
      status: next,
      settledAtMs: START_MS + 1,
      endToEndId: END_TO_END_ID,
    });
  });

  it.each(statuses.filter((next) => !allowed.includes(next)))("cannot become %s", (next) => {
    const untouched = structuredClone(before);
    expect(() => settle(next, null)).toThrow(
      expect.objectContaining({
        code: "NOT_PROCESSABLE",
        message:
          status === next
            ? `This ${noun} is already ${status}.`
            : `A ${noun} that is ${status} cannot become ${next}.`,
      }),
    );
    expect(before).toEqual(untouched);
  });
});

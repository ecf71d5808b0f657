import { describe, expect, it } from "vitest";
import {
  type PayoutOutcome,
  type PayoutStatus,
  settlePayout,
} from "../../../src/core/records/payout.ts";
import { payout, START_MS } from "../../support/core.ts";

const STATUSES: readonly PayoutStatus[] = ["waiting", "completed", "canceled"];

/** Every status with the ones that may follow it. */
const MAY_FOLLOW: Readonly<Record<PayoutStatus, readonly PayoutStatus[]>> = {
  waiting: ["completed", "canceled"],
  completed: [],
  canceled: [],
};

describe.each(STATUSES)("a payout that is %s", (status) => {
  const before = payout({ status, settledAtMs: status === "waiting" ? null : START_MS });
  const allowed = MAY_FOLLOW[status];

  it.each(STATUSES.filter((next) => allowed.includes(next)))("can become %s", (next) => {
    const endToEndId = "E12345678202611211201abcdefghijk";

    expect(settlePayout(before, next as PayoutOutcome, START_MS + 1, endToEndId, 9)).toEqual({
      ...before,
      status: next,
      settledAtMs: START_MS + 1,
      endToEndId,
      eventNumber: 9,
    });
  });

  it.each(STATUSES.filter((next) => !allowed.includes(next)))("cannot become %s", (next) => {
    const untouched = structuredClone(before);

    // A caller cannot even ask for `waiting`; what came from outside might.
    expect(() => settlePayout(before, next as PayoutOutcome, START_MS + 1, null, 9)).toThrow(
      expect.objectContaining({
        code: "NOT_PROCESSABLE",
        message:
          status === next
            ? `This payout is already ${status}.`
            : `A payout that is ${status} cannot become ${next}.`,
      }),
    );
    expect(before).toEqual(untouched);
  });
});

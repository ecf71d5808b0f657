import { describe, expect, it } from "vitest";
import { type PayinStatus, settlePayin } from "../../../src/core/records/payin.ts";
import { payin, START_MS } from "../../support/core.ts";

const STATUSES: readonly PayinStatus[] = ["waiting", "paid", "completed", "canceled", "expired"];

/** Every status with the ones that may follow it. */
const MAY_FOLLOW: Readonly<Record<PayinStatus, readonly PayinStatus[]>> = {
  waiting: ["paid", "completed", "canceled", "expired"],
  paid: [],
  completed: [],
  canceled: [],
  expired: [],
};

describe.each(STATUSES)("a payin that is %s", (status) => {
  const before = payin({ status, settledAtMs: status === "waiting" ? null : START_MS });
  const allowed = MAY_FOLLOW[status];

  it.each(STATUSES.filter((next) => allowed.includes(next)))("can become %s", (next) => {
    const endToEndId = "E12345678202611211201abcdefghijk";

    expect(settlePayin(before, next, START_MS + 1, endToEndId, 9)).toEqual({
      ...before,
      status: next,
      settledAtMs: START_MS + 1,
      endToEndId,
      eventNumber: 9,
    });
  });

  it.each(STATUSES.filter((next) => !allowed.includes(next)))("cannot become %s", (next) => {
    const untouched = structuredClone(before);

    expect(() => settlePayin(before, next, START_MS + 1, null, 9)).toThrow(
      expect.objectContaining({
        code: "NOT_PROCESSABLE",
        message:
          status === next
            ? `This payin is already ${status}.`
            : `A payin that is ${status} cannot become ${next}.`,
      }),
    );
    expect(before).toEqual(untouched);
  });
});

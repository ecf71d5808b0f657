import { describe, expect, it } from "vitest";
import type { Assumptions } from "../../../src/core/assumptions/table.ts";
import {
  type Attempt,
  type Delivery,
  timestampSeconds,
  withAttempt,
} from "../../../src/core/records/delivery.ts";
import { assume, attempt, delivery, START_MS } from "../../support/core.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY_MS = 24 * HOUR * 1000;

/** How many seconds after the end of the attempt before each attempt is made. */
const SCHEDULES = {
  laptop: [0, 1, 5, 25],
  production: [0, 5, 300, 1800, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)],
  none: [0],
} satisfies Record<Assumptions["webhook.retries"], readonly number[]>;

/** An attempt by what is special about it, or by its status alone. */
type Tried = number | null | Partial<Attempt>;

function after(one: Delivery, tried: readonly Tried[], choices = {}, nowMs = START_MS): Delivery {
  return tried.reduce<Delivery>((before, each) => {
    const members = typeof each === "object" && each ? each : { status: each };
    return withAttempt(before, attempt({ status: 500, ...members }), assume(choices), nowMs);
  }, one);
}

const resend = (status: number | null): Tried => ({ status, isResend: true });

/** The status that is left, and the milliseconds until the next attempt. */
const stateOf = ({ status, nextAttemptAtMs }: Pick<Delivery, "status" | "nextAttemptAtMs">) =>
  `${status} ${nextAttemptAtMs === null ? "-" : nextAttemptAtMs - START_MS}`;

describe.each(Object.entries(SCHEDULES))("the schedule %s", (name, waits) => {
  const choices = { "webhook.retries": name };

  it.each([0, 5])(
    "waits its time from the end of each failed attempt, then gives up; %i resends between do not count",
    (resends) => {
      let one = delivery();
      const gaps: number[] = [];
      let endedAtMs = START_MS;
      while (one.nextAttemptAtMs !== null) {
        gaps.push((one.nextAttemptAtMs - endedAtMs) / 1000);
        const { status, nextAttemptAtMs } = one;
        one = after(one, Array<Tried>(resends).fill(resend(500)), choices, endedAtMs);
        expect(one).toMatchObject({ status, nextAttemptAtMs });
        endedAtMs = nextAttemptAtMs + 7000;
        one = after(one, [500], choices, endedAtMs);
      }
      expect([gaps, one.status]).toEqual([waits, "failed"]);
    },
  );

  it.each([...waits.keys()])("ends at attempt %i with success or with 410", (index) => {
    const failed = after(delivery(), Array<Tried>(index).fill(null), choices);
    expect(stateOf(after(failed, [204], choices))).toBe("delivered -");
    expect(stateOf(after(failed, [{ status: 410, retryAfterMs: 1000 }], choices))).toBe("failed -");
  });
});

describe("an attempt", () => {
  it.each<[status: number | null, any: string, only200: string]>([
    [200, "delivered", "delivered"],
    ...[201, 202, 204, 299].map((status) => [status, "delivered", "pending"] as const),
    ...[199, 300, 301, 302, 307, 400, 404, 429, 500, 503, null].map(
      (status) => [status, "pending", "pending"] as const,
    ),
    [410, "failed", "failed"],
  ] as never)("answered with %s leaves it %s (2xx) or %s (only 200)", (status, any, only200) => {
    const left = ["2xx", "only_200"].map((success) =>
      after(delivery(), [status], { "webhook.success": success }),
    );
    expect(left.map((one) => one.status)).toEqual([any, only200]);
  });

  it("is stored after the earlier ones, and changes nothing else of the delivery", () => {
    const before = delivery();
    const [first, second] = [attempt({ status: 500, atMs: 12 }), attempt({ status: 200 })];
    expect(after(before, [first, second])).toEqual({
      ...before,
      status: "delivered",
      nextAttemptAtMs: null,
      attempts: [first, second],
    });
    expect(before.attempts).toEqual([]);
  });

  it("fails at once if fewer attempts are allowed than were made", () => {
    expect(
      stateOf(after(after(delivery(), [500, 500]), [500], { "webhook.retries": "none" })),
    ).toBe("failed -");
  });

  it.each([
    [1_760_000_000_000, 1_760_000_000],
    [1_760_000_000_999, 1_760_000_000],
    [1_760_000_001_000, 1_760_000_001],
  ])("at %i ms carries the timestamp %i", (atMs, seconds) => {
    expect(timestampSeconds({ atMs })).toBe(seconds);
  });
});

describe("a response with retry-after", () => {
  it.each<[title: string, tried: Tried[], state: string]>([
    ["gets it where that is longer than the wait", [{ retryAfterMs: 5001 }], "pending 5001"],
    ["gets a whole day", [{ retryAfterMs: DAY_MS }], `pending ${DAY_MS}`],
    ["gets no more than a day", [{ retryAfterMs: DAY_MS + 1 }], `pending ${DAY_MS}`],
    [
      "gets no more than a day, for whatever it asks",
      [{ retryAfterMs: 1e15 }],
      `pending ${DAY_MS}`,
    ],
    ["shortens no wait", [{ retryAfterMs: 4999 }], "pending 5000"],
    ["shortens no wait by asking for none", [{ retryAfterMs: 0 }], "pending 5000"],
    ...[null, 301, 404, 429, 503].map(
      (status) =>
        [`gets it after ${status}`, [{ status, retryAfterMs: 60_000 }], "pending 60000"] as const,
    ),
    [
      "gets none if it was the last attempt",
      [...Array(9).fill(500), { retryAfterMs: 1 }],
      "failed -",
    ],
    ["gets none with success", [{ status: 200, retryAfterMs: 60_000 }], "delivered -"],
    ["gets none from a resend", [500, { isResend: true, retryAfterMs: 60_000 }], "pending 5000"],
    ["is heard once", [{ retryAfterMs: 60_000 }, 500], "pending 300000"],
  ] as never)("%s", (_title, tried, state) => {
    expect(stateOf(after(delivery(), tried, { "webhook.retries": "production" }))).toBe(state);
  });
});

describe("a resend", () => {
  const PENDING = { status: "pending", nextAttemptAtMs: START_MS + 5000 } as const;
  const DELIVERED = { status: "delivered", nextAttemptAtMs: null } as const;
  const FAILED = { status: "failed", nextAttemptAtMs: null } as const;

  it.each<
    [
      Pick<Delivery, "status" | "nextAttemptAtMs">,
      Pick<Delivery, "status" | "nextAttemptAtMs">,
      ...(number | null)[],
    ]
  >([
    [PENDING, DELIVERED, 200],
    [PENDING, PENDING, 500, 429, null],
    [PENDING, FAILED, 410],
    [DELIVERED, DELIVERED, 200, 500, null, 410],
    [FAILED, DELIVERED, 204],
    [FAILED, FAILED, 500, null, 410],
  ])(
    "of a delivery that is %o leaves it %o if it is answered with %s",
    (from, left, ...statuses) => {
      const first = attempt({ status: 500 });
      const before = delivery({ ...from, attempts: [first] });
      for (const status of statuses) {
        const resent = attempt({ status, isResend: true });
        expect(after(before, [resent], {}, START_MS + 1)).toEqual({
          ...before,
          ...left,
          attempts: [first, resent],
        });
      }
    },
  );

  it("of one that was never tried leaves it to its first attempt", () => {
    const resent = after(delivery(), [resend(500)]);
    expect([resent, after(resent, [500])].map(stateOf)).toEqual(["pending 0", "pending 1000"]);
  });

  it("is remembered if it is one of the last, as is every attempt that was made by itself", () => {
    const resends = Array.from({ length: 200 }, (_, count) => ({
      isResend: true,
      atMs: START_MS + count,
    }));
    const one = after(delivery(), [500, ...resends, 500]);
    expect(one.attempts).toHaveLength(50);
    expect(one.attempts.filter(({ isResend }) => !isResend)).toHaveLength(2);
    expect(one.attempts.at(-2)?.atMs).toBe(START_MS + 199);
    // The second of the schedule: the third is 5 s after it.
    expect(stateOf(one)).toBe("pending 5000");
  });
});

import { describe, expect, it } from "vitest";
import type { Assumptions } from "../../../src/core/assumptions/table.ts";
import {
  type Attempt,
  type Delivery,
  timestampSeconds,
} from "../../../src/core/records/delivery.ts";
import { assume, attempt, delivery, recordAttempt, START_MS } from "../../support/core.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** How many seconds after the end of the attempt before each attempt is made. */
const SCHEDULES = {
  laptop: [0, 1, 5, 25],
  production: [
    0,
    5,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  none: [0],
} satisfies Record<Assumptions["webhook.retries"], readonly number[]>;

describe.each(Object.entries(SCHEDULES))("the schedule %s", (name, waits) => {
  const assumptions = assume({ "webhook.retries": name as keyof typeof SCHEDULES });

  it("waits its time from the end of each failed attempt, then gives up", () => {
    const attemptSeconds = 7;
    let one = delivery();
    const gaps: number[] = [];
    let endedAtMs = START_MS;
    while (one.nextAttemptAtMs !== null) {
      gaps.push((one.nextAttemptAtMs - endedAtMs) / 1000);
      endedAtMs = one.nextAttemptAtMs + attemptSeconds * 1000;
      one = recordAttempt(one, attempt({ status: 500 }), assumptions, endedAtMs);
    }

    expect(gaps).toEqual(waits);
    expect(one.status).toBe("failed");
    expect(one.attempts).toHaveLength(waits.length);
  });

  it.each([...waits.keys()])("ends with success at attempt %i, whenever it comes", (index) => {
    let one = delivery();
    for (let failures = 0; failures < index; failures++)
      one = recordAttempt(
        one,
        attempt({ status: null, error: "ECONNREFUSED" }),
        assumptions,
        START_MS,
      );
    one = recordAttempt(one, attempt({ status: 204 }), assumptions, START_MS);

    expect(one).toMatchObject({ status: "delivered", nextAttemptAtMs: null });
    expect(one.attempts).toHaveLength(index + 1);
  });

  it.each([...waits.keys()])("ends with the answer 410 at attempt %i", (index) => {
    let one = delivery();
    for (let failures = 0; failures < index; failures++)
      one = recordAttempt(one, attempt({ status: 500 }), assumptions, START_MS);
    one = recordAttempt(one, attempt({ status: 410, retryAfterMs: 1000 }), assumptions, START_MS);

    expect(one).toMatchObject({ status: "failed", nextAttemptAtMs: null });
    expect(one.attempts).toHaveLength(index + 1);
  });

  it("counts no resend, however many there are", () => {
    let one = delivery();
    const gaps: number[] = [];
    while (one.nextAttemptAtMs !== null) {
      gaps.push((one.nextAttemptAtMs - START_MS) / 1000);
      const before = { status: one.status, nextAttemptAtMs: one.nextAttemptAtMs };
      for (let resends = 0; resends < waits.length; resends++)
        one = recordAttempt(one, attempt({ status: 500, isResend: true }), assumptions, START_MS);
      expect(one).toMatchObject(before);
      one = recordAttempt(one, attempt({ status: 500 }), assumptions, START_MS);
    }

    expect(gaps).toEqual(waits);
    expect(one.status).toBe("failed");
  });
});

describe("an attempt", () => {
  it.each([
    [200, "delivered", "delivered"],
    [201, "delivered", "pending"],
    [202, "delivered", "pending"],
    [204, "delivered", "pending"],
    [299, "delivered", "pending"],
    [199, "pending", "pending"],
    [300, "pending", "pending"],
    [301, "pending", "pending"],
    [302, "pending", "pending"],
    [307, "pending", "pending"],
    [400, "pending", "pending"],
    [404, "pending", "pending"],
    [410, "failed", "failed"],
    [429, "pending", "pending"],
    [500, "pending", "pending"],
    [503, "pending", "pending"],
    [null, "pending", "pending"],
  ] as const)(
    "answered with %s leaves the delivery %s (2xx) or %s (200 alone)",
    (status, any, only200) => {
      const after = (success: Assumptions["webhook.success"]): string =>
        recordAttempt(
          delivery(),
          attempt({ status }),
          assume({ "webhook.success": success }),
          START_MS,
        ).status;

      expect([after("2xx"), after("only_200")]).toEqual([any, only200]);
    },
  );

  it("is stored after the earlier ones, and changes nothing else of the delivery", () => {
    const before = delivery();
    const first = attempt({ status: 500 });
    const second = attempt({ status: 200 });
    const after = [first, second].reduce(
      (one: Delivery, each) => recordAttempt(one, each, assume(), START_MS),
      before,
    );

    expect(after).toEqual({
      ...before,
      status: "delivered",
      nextAttemptAtMs: null,
      attempts: [
        { ...first, left: { status: "pending", nextAttemptAtMs: START_MS + 1000 } },
        { ...second, left: { status: "delivered", nextAttemptAtMs: null } },
      ],
    });
    expect(before.attempts).toEqual([]);
  });

  it("counts its wait in sandbox time", () => {
    const nowMs = START_MS + 1_000_000;
    const after = recordAttempt(delivery(), attempt({ status: 500, atMs: 12 }), assume(), nowMs);

    expect(after.nextAttemptAtMs).toBe(nowMs + 1000);
  });

  it("fails at once if fewer attempts are allowed than were made", () => {
    const tried = delivery({ attempts: [attempt({ status: 500 }), attempt({ status: 500 })] });
    const after = recordAttempt(
      tried,
      attempt({ status: 500 }),
      assume({ "webhook.retries": "none" }),
      START_MS,
    );

    expect(after).toMatchObject({ status: "failed", nextAttemptAtMs: null });
  });

  it.each([
    [1_760_000_000_000, 1_760_000_000],
    [1_760_000_000_001, 1_760_000_000],
    [1_760_000_000_999, 1_760_000_000],
    [1_760_000_001_000, 1_760_000_001],
  ])("at %i ms carries the timestamp %i", (atMs, seconds) => {
    expect(timestampSeconds({ atMs })).toBe(seconds);
  });
});

describe("a response with retry-after", () => {
  const after = (retryAfterMs: number, members: Partial<Attempt> = {}, one = delivery()) =>
    recordAttempt(
      one,
      attempt({ status: 429, retryAfterMs, ...members }),
      assume({ "webhook.retries": "production" }),
      START_MS,
    );

  it.each([
    ["gets it where that is longer than the wait", 5001, 5001],
    ["gets it for a minute", 60_000, 60_000],
    ["gets a whole day", 24 * HOUR * 1000, 24 * HOUR * 1000],
    ["gets no more than a day", 24 * HOUR * 1000 + 1, 24 * HOUR * 1000],
    ["gets no more than a day, for whatever it asks", 1e15, 24 * HOUR * 1000],
    ["shortens no wait", 4999, 5000],
    ["shortens no wait by asking for none", 0, 5000],
  ])("%s: %i ms", (_title, retryAfterMs, waitMs) => {
    expect(after(retryAfterMs)).toMatchObject({
      status: "pending",
      nextAttemptAtMs: START_MS + waitMs,
    });
  });

  it.each([null, 301, 404, 429, 500, 503])("gets it whatever the failure was: %s", (status) => {
    expect(after(60_000, { status }).nextAttemptAtMs).toBe(START_MS + 60_000);
  });

  it("ends the delivery if it was the last attempt", () => {
    const waits = SCHEDULES.production.length;
    const tried = delivery({
      attempts: Array.from({ length: waits - 1 }, () => attempt({ status: 500 })),
    });

    expect(after(60_000, {}, tried)).toMatchObject({ status: "failed", nextAttemptAtMs: null });
  });

  it.each([200, 410])("gets none if the response ends the delivery: %i", (status) => {
    expect(after(60_000, { status }).nextAttemptAtMs).toBeNull();
  });

  it("gets none from a requested attempt", () => {
    const one = delivery({ nextAttemptAtMs: START_MS + 5000 });

    expect(after(60_000, { isResend: true }, one).nextAttemptAtMs).toBe(START_MS + 5000);
  });

  it("is heard once: the attempt after it waits as it would have", () => {
    const second = recordAttempt(
      after(60_000),
      attempt({ status: 500 }),
      assume({ "webhook.retries": "production" }),
      START_MS,
    );

    expect(second.nextAttemptAtMs).toBe(START_MS + 5 * MINUTE * 1000);
  });
});

describe("a resend", () => {
  const PENDING = { status: "pending", nextAttemptAtMs: START_MS + 5000 } as const;
  const DELIVERED = { status: "delivered", nextAttemptAtMs: null } as const;
  const FAILED = { status: "failed", nextAttemptAtMs: null } as const;

  it.each([
    ["a pending delivery", PENDING, 200, DELIVERED],
    ["a pending delivery", PENDING, 500, PENDING],
    ["a pending delivery", PENDING, 429, PENDING],
    ["a pending delivery", PENDING, null, PENDING],
    ["a pending delivery", PENDING, 410, FAILED],
    ["a delivered one", DELIVERED, 200, DELIVERED],
    ["a delivered one", DELIVERED, 500, DELIVERED],
    ["a delivered one", DELIVERED, null, DELIVERED],
    ["a delivered one", DELIVERED, 410, DELIVERED],
    ["a failed one", FAILED, 204, DELIVERED],
    ["a failed one", FAILED, 500, FAILED],
    ["a failed one", FAILED, null, FAILED],
    ["a failed one", FAILED, 410, FAILED],
  ] as const)("of %s (%o) that is answered with %s leaves it %o", (_title, from, status, left) => {
    const first = attempt({ status: 500, left: from });
    const resent = attempt({ status, isResend: true });
    const before = delivery({ ...from, attempts: [first] });

    expect(recordAttempt(before, resent, assume(), START_MS + 1)).toEqual({
      ...before,
      ...left,
      attempts: [first, { ...resent, left }],
    });
  });

  it("of one that was never tried leaves it to its first attempt", () => {
    const resent = recordAttempt(
      delivery(),
      attempt({ status: 500, isResend: true }),
      assume(),
      START_MS,
    );
    expect(resent).toMatchObject({ status: "pending", nextAttemptAtMs: START_MS });

    const tried = recordAttempt(resent, attempt({ status: 500 }), assume(), START_MS);
    expect(tried.nextAttemptAtMs).toBe(START_MS + 1000);
  });
});

describe("a webhook that is resent over and over", () => {
  it("remembers its last resends and every attempt that was made by itself", () => {
    let one = recordAttempt(delivery(), attempt({ status: 500 }), assume(), START_MS);
    for (let count = 0; count < 200; count++) {
      const resend = attempt({ status: 500, isResend: true, atMs: START_MS + count });
      one = recordAttempt(one, resend, assume(), START_MS);
    }
    one = recordAttempt(one, attempt({ status: 500 }), assume(), START_MS);

    expect(one.attempts).toHaveLength(50);
    expect(one.attempts.filter(({ isResend }) => !isResend)).toHaveLength(2);
    expect(one.attempts.at(-2)?.atMs).toBe(START_MS + 199);
    // The second of the ladder: the third is 5 s after it.
    expect(one.nextAttemptAtMs).toBe(START_MS + 5000);
  });
});

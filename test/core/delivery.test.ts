import { describe, expect, it } from "vitest";
import type { Assumptions } from "../../src/core/assumptions.ts";
import { type Delivery, recordAttempt, timestampSeconds } from "../../src/core/delivery.ts";
import { assume, attempt, delivery, START_MS } from "../support/core.ts";

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
    [410, "pending", "pending"],
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

  it("is kept behind those before it, and changes nothing else of the delivery", () => {
    const before = delivery();
    const first = attempt({ status: 500, eventNumber: 3 });
    const second = attempt({ status: 200, eventNumber: 4 });
    const after = [first, second].reduce(
      (one: Delivery, each) => recordAttempt(one, each, assume(), START_MS),
      before,
    );

    expect(after).toEqual({
      ...before,
      status: "delivered",
      nextAttemptAtMs: null,
      attempts: [first, second],
    });
    expect(before.attempts).toEqual([]);
  });

  it("counts its wait in the sandbox's time, whatever its own time was", () => {
    const nowMs = START_MS + 1_000_000;
    const after = recordAttempt(delivery(), attempt({ status: 500, atMs: 12 }), assume(), nowMs);

    expect(after.nextAttemptAtMs).toBe(nowMs + 1000);
  });

  it("gives up at once where fewer attempts are allowed than were made already", () => {
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

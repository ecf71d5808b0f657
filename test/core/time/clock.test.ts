import { describe, expect, it } from "vitest";
import { Clock, forwardOnly } from "../../../src/core/time/clock.ts";

describe("a clock", () => {
  it.each([5000, -5000, 0])(
    "is %i ms from real time by its offset, and goes on with it",
    (offsetMs) => {
      const real = { nowMs: 10_000 };
      const clock = new Clock(() => real.nowMs, { mode: "real", offsetMs });
      expect([clock.mode, clock.nowMs()]).toEqual(["real", 10_000 + offsetMs]);
      real.nowMs = 10_001;
      expect(clock.nowMs()).toBe(10_001 + offsetMs);
      expect(clock.realMsUntil(10_001 + offsetMs - 1)).toBe(0);
      expect(clock.realMsUntil(10_001 + offsetMs + 7)).toBe(7);
    },
  );

  it("that is frozen never comes to a later time by itself, but what is due is due", () => {
    const real = { nowMs: 1000 };
    const clock = new Clock(() => real.nowMs, { mode: "frozen", nowMs: 42 });
    real.nowMs = 999_999;
    expect([clock.mode, clock.nowMs()]).toEqual(["frozen", 42]);
    expect([41, 42, 43].map((atMs) => clock.realMsUntil(atMs))).toEqual([
      0,
      0,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it("leaves out the time for which it stood, each time, and is frozen or resumed only once", () => {
    const real = { nowMs: 1000 };
    const clock = new Clock(() => real.nowMs);
    for (let round = 0; round < 3; round++) {
      clock.freeze();
      real.nowMs += 100_000;
      clock.freeze();
      clock.resume();
      real.nowMs += 10;
      clock.resume();
    }
    expect(clock.nowMs()).toBe(1030);
  });

  it("resumes from the time that was set meanwhile", () => {
    const clock = new Clock(() => 1000);
    clock.freeze();
    clock.moveTo(7000);
    clock.resume();
    expect(clock.setting).toEqual({ mode: "real", offsetMs: 6000 });
  });

  it.each([
    { mode: "real", offsetMs: 500 },
    { mode: "frozen", nowMs: 1500 },
  ] as const)("goes forward when it is moved, never back: %j", (setting) => {
    const clock = new Clock(() => 1000, setting);
    for (const atMs of [1500, 1499, -1, Number.NEGATIVE_INFINITY]) clock.moveTo(atMs);
    expect(clock.setting).toEqual(setting);
    clock.moveTo(172_801_501);
    expect([clock.mode, clock.nowMs()]).toEqual([setting.mode, 172_801_501]);
  });
});

describe("real time that never goes back", () => {
  const HOUR_MS = 3_600_000;

  /** Two clocks that the test moves, and what is read from them. */
  function clocks(notBeforeMs?: number) {
    const hands = { wallMs: 10 * HOUR_MS, monotonicMs: 500.25 };
    const nowMs = forwardOnly(
      { wallNowMs: () => hands.wallMs, monotonicNowMs: () => hands.monotonicMs },
      notBeforeMs,
    );
    const pass = (ms: number, wallStepMs = 0): number => {
      hands.monotonicMs += ms;
      hands.wallMs += ms + wallStepMs;
      return nowMs();
    };
    return { hands, nowMs, pass };
  }

  it("follows a forward step of the wall clock at once", () => {
    const { hands, pass } = clocks();

    expect(pass(5, HOUR_MS)).toBe(hands.wallMs);
    expect(pass(5)).toBe(hands.wallMs);
  });

  it("follows the wall clock after a suspension, during which the monotonic clock stood still", () => {
    const { hands, nowMs } = clocks();
    hands.wallMs += 8 * HOUR_MS;

    expect(nowMs()).toBe(18 * HOUR_MS);
  });

  it("runs on after a backward step, until the wall clock has caught up", () => {
    const { hands, pass } = clocks();

    expect(pass(0, -HOUR_MS)).toBe(10 * HOUR_MS);
    expect(pass(20_000)).toBe(10 * HOUR_MS + 20_000);
    expect(pass(0.5)).toBe(10 * HOUR_MS + 20_000);
    expect(pass(0.5)).toBe(10 * HOUR_MS + 20_001);
    expect(pass(0, HOUR_MS / 2)).toBe(10 * HOUR_MS + 20_001);

    expect(pass(0, HOUR_MS)).toBe(hands.wallMs);
    expect(pass(5)).toBe(hands.wallMs);
  });

  it("follows a wall clock that is a little slower than the monotonic one", () => {
    const { hands, pass } = clocks();

    for (let hour = 0; hour < 24; hour++) expect(pass(HOUR_MS, -1800)).toBe(hands.wallMs);
  });

  it("takes a pause between the readings of the two clocks for no step", () => {
    const hands = { wallMs: 1000, monotonicMs: 0 };
    let pausesMs = [0, 3000];
    const nowMs = forwardOnly({
      wallNowMs: () => {
        const pauseMs = pausesMs.shift() ?? 0;
        hands.wallMs += pauseMs;
        hands.monotonicMs += pauseMs;
        return hands.wallMs;
      },
      monotonicNowMs: () => hands.monotonicMs,
    });

    expect(nowMs()).toBe(4000);
    expect(nowMs()).toBe(4000);
    pausesMs = [2000, 0];
    expect([nowMs(), nowMs()]).toEqual([6000, 6000]);
  });

  it("starts no earlier than the given time, and runs on from there", () => {
    const { pass } = clocks(11 * HOUR_MS);

    expect(pass(0)).toBe(11 * HOUR_MS);
    expect(pass(5000)).toBe(11 * HOUR_MS + 5000);
    expect(pass(0, HOUR_MS)).toBe(11 * HOUR_MS + 5000);
    expect(pass(0, 1)).toBe(11 * HOUR_MS + 5001);
  });
});

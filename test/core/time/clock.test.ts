import { describe, expect, it } from "vitest";
import { Clock, forwardOnly } from "../../../src/core/time/clock.ts";

describe("a clock", () => {
  it.each([5000, -5000, 0])("is %i ms from real time by its offset", (offsetMs) => {
    const real = { nowMs: 10_000 };
    const clock = new Clock(() => real.nowMs, { mode: "real", offsetMs });
    expect([clock.mode, clock.nowMs()]).toEqual(["real", 10_000 + offsetMs]);
    real.nowMs = 10_001;
    expect(clock.nowMs()).toBe(10_001 + offsetMs);
  });

  it("leaves out the time for which it stood, each time, and is frozen or resumed only once", () => {
    const real = { nowMs: 1000 };
    const clock = new Clock(() => real.nowMs, { mode: "real", offsetMs: 0 });
    for (let round = 0; round < 3; round++) {
      clock.freeze();
      real.nowMs += 100_000;
      expect([clock.mode, clock.nowMs()]).toEqual(["frozen", 1000 + 10 * round]);
      clock.freeze();
      clock.resume();
      real.nowMs += 10;
      clock.resume();
    }
    expect(clock.nowMs()).toBe(1030);
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
    clock.resume();
    expect(clock.setting).toEqual({ mode: "real", offsetMs: 172_800_501 });
  });
});

describe("real time that never goes back", () => {
  const HOUR_MS = 3_600_000;
  const NOON = 12 * HOUR_MS;

  /** Each row: what passes, by how much the wall clock is set meanwhile, and the time that is read then. */
  it.each<[string, number | undefined, (readonly [passes: number, step: number, reads: number])[]]>(
    [
      ["follows a forward step", undefined, [[5, HOUR_MS, NOON + HOUR_MS + 5]]],
      [
        "runs on after a backward step, until the wall clock has caught up",
        undefined,
        [
          [0, -HOUR_MS, NOON],
          [20_000, 0, NOON + 20_000],
          [0.5, 0, NOON + 20_000],
          [0.5, 0, NOON + 20_001],
          [0, HOUR_MS / 2, NOON + 20_001],
          [0, HOUR_MS, NOON + HOUR_MS / 2 + 20_001],
        ],
      ],
      [
        "follows a wall clock that is a little slower",
        undefined,
        [[HOUR_MS, -1800, NOON + 3_598_200]],
      ],
      [
        "starts no earlier than the given time, and runs on from there",
        NOON + HOUR_MS,
        [
          [0, 0, NOON + HOUR_MS],
          [5000, 0, NOON + HOUR_MS + 5000],
          [0, HOUR_MS + 1, NOON + HOUR_MS + 5001],
        ],
      ],
    ],
  )("%s", (_title, notBeforeMs, steps) => {
    const hands = { wallMs: NOON, monotonicMs: 500.25 };
    const nowMs = forwardOnly(
      () => hands.wallMs,
      () => hands.monotonicMs,
      notBeforeMs,
    );
    for (const [passes, step, reads] of steps) {
      hands.monotonicMs += passes;
      hands.wallMs += passes + step;
      expect(nowMs()).toBe(reads);
    }
  });

  it("follows the wall clock after a suspension, during which the monotonic clock stood still", () => {
    let wallMs = NOON;
    const nowMs = forwardOnly(
      () => wallMs,
      () => 0,
    );
    wallMs += 8 * HOUR_MS;
    expect(nowMs()).toBe(20 * HOUR_MS);
  });
});

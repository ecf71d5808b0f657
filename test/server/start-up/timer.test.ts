import { describe, expect, it } from "vitest";
import { RealTimer } from "../../../src/server/start-up/timer.ts";

const DAY_MS = 86_400_000;

describe("a real timer", () => {
  it.each([
    [0, undefined],
    [-1, undefined],
    [0.5, undefined],
    [DAY_MS, 1],
  ])("rings once, set to %d ms with a longest delay of %s ms", async (delayMs, longestMs) => {
    const timer = new RealTimer(longestMs);
    let rings = 0;
    await new Promise<void>((resolve) => {
      timer.set(delayMs, () => {
        rings++;
        resolve();
      });
    });
    await ringing(new RealTimer(), 2);

    expect(rings).toBe(1);
  });

  it.each([0, 1])("forgets what it was set to before: %d ms", async (delayMs) => {
    const timer = new RealTimer();
    const rung: string[] = [];
    timer.set(delayMs, () => rung.push("cleared"));
    timer.clear();
    timer.set(delayMs, () => rung.push("replaced"));
    await new Promise<void>((resolve) => {
      timer.set(delayMs + 1, () => {
        rung.push("last");
        resolve();
      });
    });
    await ringing(new RealTimer(), 2);

    expect(rung).toEqual(["last"]);
  });

  it("does not ring at once for a delay that no timer can have", async () => {
    const timer = new RealTimer();
    let isRung = false;
    timer.set(2 ** 31, () => {
      isRung = true;
    });
    await ringing(new RealTimer(), 2);
    timer.clear();

    expect(isRung).toBe(false);
  });

  it("does not hold the process while it waits", () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout");
    const before = timers();
    const timer = new RealTimer();
    timer.set(DAY_MS, () => undefined);

    expect(timers()).toEqual(before);
    timer.clear();
  });
});

function ringing(timer: RealTimer, delayMs: number): Promise<void> {
  return new Promise((resolve) => timer.set(delayMs, resolve));
}

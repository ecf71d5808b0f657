import { describe, expect, it } from "vitest";
import { RealAlarm } from "../../src/sandbox/timer.ts";

const DAY_MS = 86_400_000;

describe("a real alarm", () => {
  it.each([
    [0, undefined],
    [-1, undefined],
    [0.5, undefined],
    [DAY_MS, 1],
  ])("rings once, set to %d ms with a longest delay of %s ms", async (delayMs, longestMs) => {
    const alarm = new RealAlarm(longestMs);
    let rings = 0;
    await new Promise<void>((resolve) => {
      alarm.set(delayMs, () => {
        rings++;
        resolve();
      });
    });
    await ringing(new RealAlarm(), 2);

    expect(rings).toBe(1);
  });

  it.each([0, 1])("forgets what it was set to before: %d ms", async (delayMs) => {
    const alarm = new RealAlarm();
    const rung: string[] = [];
    alarm.set(delayMs, () => rung.push("cleared"));
    alarm.clear();
    alarm.set(delayMs, () => rung.push("replaced"));
    await new Promise<void>((resolve) => {
      alarm.set(delayMs + 1, () => {
        rung.push("last");
        resolve();
      });
    });
    await ringing(new RealAlarm(), 2);

    expect(rung).toEqual(["last"]);
  });

  it("does not ring at once for a delay that no timer can have", async () => {
    const alarm = new RealAlarm();
    let isRung = false;
    alarm.set(2 ** 31, () => {
      isRung = true;
    });
    await ringing(new RealAlarm(), 2);
    alarm.clear();

    expect(isRung).toBe(false);
  });

  it("keeps no process alive while it waits", () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout");
    const before = timers();
    const alarm = new RealAlarm();
    alarm.set(DAY_MS, () => undefined);

    expect(timers()).toEqual(before);
    alarm.clear();
  });
});

function ringing(alarm: RealAlarm, delayMs: number): Promise<void> {
  return new Promise((resolve) => alarm.set(delayMs, resolve));
}

import * as hooks from "node:perf_hooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { measureEventLoopLag } from "../../src/platform/event-loop-lag.ts";

vi.mock("node:perf_hooks", { spy: true });

afterEach(() => {
  vi.mocked(hooks.monitorEventLoopDelay).mockReset();
});

/** What Node has measured, in nanoseconds. */
function measured(count: number, p99: number) {
  const calls: string[] = [];
  const percentile = vi.fn<() => number>(() => p99);
  vi.mocked(hooks.monitorEventLoopDelay).mockReturnValue({
    count,
    percentile,
    enable: () => calls.push("enable"),
    disable: () => calls.push("disable"),
    reset: () => calls.push("reset"),
  } as never);
  return { calls, percentile };
}

describe("the event loop's lag", () => {
  it("is the delay beyond the timer's own interval, in seconds, and begins anew when it is taken", () => {
    const { calls, percentile } = measured(3, 50e6);
    const lag = measureEventLoopLag();
    expect(hooks.monitorEventLoopDelay).toHaveBeenCalledWith({ resolution: 20 });
    expect(lag?.takeP99()).toBeCloseTo(0.03);
    expect(percentile).toHaveBeenCalledWith(99);
    expect(calls).toEqual(["enable", "reset"]);
    lag?.stop();
    expect(calls).toEqual(["enable", "reset", "disable"]);
  });

  it.each([
    [0, 50e6],
    [3, 10e6],
  ])("is never negative, and 0 if nothing was measured", (count, p99) => {
    measured(count, p99);
    expect(measureEventLoopLag()?.takeP99()).toBe(0);
  });

  it("is left out on a runtime that cannot measure it", () => {
    const fail = (code: string) =>
      vi.mocked(hooks.monitorEventLoopDelay).mockImplementation(() => {
        throw Object.assign(new Error(code), { code });
      });
    fail("ERR_NOT_IMPLEMENTED");
    expect(measureEventLoopLag()).toBeUndefined();
    fail("EMFILE");
    expect(() => measureEventLoopLag()).toThrow("EMFILE");
  });
});

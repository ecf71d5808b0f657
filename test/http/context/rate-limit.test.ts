import { describe, expect, it } from "vitest";
import { RateLimit } from "../../../src/http/context/rate-limit.ts";

describe("a rate limit", () => {
  it("admits so many requests in any minute, and names when the next is admitted", () => {
    const { at } = limit();
    expect([at(0), at(20), at(50), at(59.5)]).toEqual(["passed", "passed", "passed", 1]);
    expect([at(60), at(60)]).toEqual(["passed", 20]);
    expect([at(79.999), at(80), at(80)]).toEqual([1, "passed", 30]);
    expect([at(500), at(500), at(500), at(500)]).toEqual(["passed", "passed", "passed", 60]);
  });

  it("does not count what it refuses", () => {
    const { at } = limit();
    for (const seconds of [0, 0, 0]) at(seconds);
    for (let seconds = 1; seconds < 60; seconds++) expect(at(seconds)).toBe(60 - seconds);
    expect(at(60)).toBe("passed");
  });

  it("counts each integration by itself", () => {
    const { at } = limit();
    for (const seconds of [0, 0, 0]) at(seconds);
    expect(at(1, { integration: "other" })).toBe("passed");
    expect(at(1)).toBe(59);
  });

  it("goes by what it is now, be it more or less than before", () => {
    const { at } = limit();
    for (const seconds of [0, 10, 20]) at(seconds);
    expect(at(30, { perMinute: 4 })).toBe("passed");
    expect(at(30, { perMinute: 1 })).toBe(60);
    expect(at(30, { perMinute: 2 })).toBe(50);
  });
});

/** A limit on a clock of the test's own. */
function limit() {
  let nowMs = 0;
  const rateLimit = new RateLimit(() => nowMs);
  /** What becomes of a request: passed, or the seconds of its `retry-after`. */
  const at = (seconds: number, { integration = "shop", perMinute = 3 } = {}): unknown => {
    nowMs = seconds * 1000;
    try {
      rateLimit.admit(integration, perMinute);
      return "passed";
    } catch (error) {
      expect(error).toMatchObject({ status: 429, code: "NOT_PROCESSABLE" });
      return Number((error as { headers: Record<string, string> }).headers["retry-after"]);
    }
  };
  return { at };
}

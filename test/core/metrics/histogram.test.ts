import { describe, expect, it } from "vitest";
import { Histogram } from "../../../src/core/metrics/histogram.ts";

describe("a histogram", () => {
  it("counts a value at the first bound that is not below it", () => {
    const histogram = new Histogram([1, 2, 4]);
    for (const value of [0, 1, 1.5, 2, 2.1, 4, 4.1, 100]) histogram.observe(value);
    expect(histogram.cumulative).toEqual([2, 4, 6, 8]);
    expect(histogram.sum).toBeCloseTo(114.7);
  });

  it("is empty at first", () => {
    const { cumulative, sum } = new Histogram([1]);
    expect([cumulative, sum]).toEqual([[0, 0], 0]);
  });
});

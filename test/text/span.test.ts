import { describe, expect, it } from "vitest";
import { aheadOfRealTime } from "../../src/text/duration.ts";
import { wordsOf } from "../support/words.ts";

const HOUR_MS = 3_600_000;

describe("the distance to real time", () => {
  it.each<[number, string | undefined]>([
    [0, undefined],
    [-1999, undefined],
    [5000, "5 s ahead of real time"],
    [62 * 60_000, "1 h 2 min ahead of real time"],
    // Reading the two clocks takes a moment.
    [HOUR_MS - 40, "1 h ahead of real time"],
    [25 * HOUR_MS + 59_000, "1 d 1 h ahead of real time"],
    [-90_000, "1 min 30 s behind real time"],
  ])("is written in two units: %i ms", (aheadMs, text) => {
    expect(wordsOf(aheadOfRealTime(aheadMs))).toBe(text);
  });
});

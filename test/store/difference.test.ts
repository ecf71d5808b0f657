import { describe, expect, it } from "vitest";
import { describeDifference } from "../../src/store/format/difference.ts";
import { LISTS } from "../../src/store/format/schema.ts";
import { say } from "../../src/text/message.ts";
import { inWords } from "../support/words.ts";

const OTHERWISE = say`the same`;

describe("the difference between a file's lists and what was written", () => {
  it("names each list whose length differs", () => {
    const counts = Object.fromEntries(LISTS.map((list) => [list, 1234]));
    expect(describeDifference({ counts }, new Map(), OTHERWISE)).toEqual(
      inWords({
        en: "1,234 → 0 webhook configurations, 1,234 → 0 changed assumptions, 1,234 → 0 payins, 1,234 → 0 payouts, 1,234 → 0 deliveries, 1,234 → 0 faults",
      }),
    );
  });

  it("is another one if no length differs", () => {
    expect(describeDifference({ counts: { payins: 1 } }, new Map([["payins", 1]]), OTHERWISE)).toBe(
      OTHERWISE,
    );
  });
});

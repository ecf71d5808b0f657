import { describe, expect, it } from "vitest";
import { toSafeJson, toSafeLine, toSafeText } from "../../../src/text/plain/safe-text.ts";

const JOINER = "\u200d";

describe("a text from outside", () => {
  it.each([
    ["a family", "👩‍👩‍👧‍👦"],
    ["a skin tone", "👩🏽‍🚀"],
    ["a variation selector", "🏳️‍🌈 ❤️‍🔥"],
  ])("shows an emoji of several as it is: %s", (_title, emoji) => {
    expect(emoji).toContain(JOINER);
    expect(toSafeText(emoji)).toBe(emoji);
    expect(toSafeJson({ emoji })).toBe(`{"emoji":"${emoji}"}`);
  });

  it.each([
    [JOINER, "\\u200d"],
    [`a${JOINER}b`, "a\\u200db"],
    [`👩${JOINER}`, "👩\\u200d"],
    [`${JOINER}👩`, "\\u200d👩"],
    [`👩${JOINER}${JOINER}👩`, "👩\\u200d\\u200d👩"],
    ["\u202egnp\u200b\u200c\u200e\u200f\u2066", "\\u202egnp\\u200b\\u200c\\u200e\\u200f\\u2066"],
    ["\u001b[2J\u0000\u009b", "\\u001b[2J\\u0000\\u009b"],
    ["a\tb\nc", "a\\u0009b\\u000ac"],
  ])("shows what is invisible: %j", (text, shown) => {
    expect(toSafeLine(text)).toBe(shown);
  });
});

import { describe, expect, it } from "vitest";
import { countLines } from "../../src/store/text/lines.ts";

describe("the number of lines in some bytes", () => {
  it.each([
    ["", 0],
    ["one", 0],
    ["\n", 1],
    ["\n\n", 2],
    ["one\ntwo", 1],
    ["one\ntwo\n", 2],
  ])("of %j is %i", (text, count) => {
    expect(countLines(Buffer.from(text))).toBe(count);
  });
});

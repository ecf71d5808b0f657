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

  it.each([
    ["https://loja:hunter2@shop.example/hook", "https://loja:***@shop.example/hook"],
    ["https://loja:a@b:c@shop.example", "https://loja:***@shop.example"],
    ["postgres://:hunter2@db/shop", "postgres://:***@db/shop"],
    ["https://loja@shop.example:8443/a:b@c", "https://loja@shop.example:8443/a:b@c"],
    [String.raw`{"a":"https:\/\/b:c@d\/"}`, String.raw`{"a":"https:\/\/b:***@d\/"}`],
    ['{"a":"http://b:80","c":"d@e"}', '{"a":"http://b:80","c":"d@e"}'],
    ["/hook?token=a&order=1&Key=b#c", "/hook?token=***&order=1&Key=***#c"],
    ['"/?secret=a","&password=b"', '"/?secret=***","&password=***"'],
    [
      String.raw`/?a=1\u0026api_key=b\u0026access_token=c`,
      String.raw`/?a=1\u0026api_key=***\u0026access_token=***`,
    ],
    ["/?tokens=a&pix_key=b&token", "/?tokens=a&pix_key=b&token"],
  ])("shows no secret of an address: %j", (text, shown) => {
    expect(toSafeLine(text)).toBe(shown);
    expect(toSafeLine(shown)).toBe(shown);
    expect(toSafeJson(text)).toBe(JSON.stringify(text));
  });

  it("is masked in time that grows with its length", () => {
    for (const part of ["://", "://a:", ":", "a", "?", "&"])
      expect(toSafeText(part.repeat(100_000))).toHaveLength(part.length * 100_000);
  });
});

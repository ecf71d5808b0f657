import { expect, test } from "vitest";
import { closest } from "../../src/text/suggestion.ts";

test.each([
  ["payni.paid", "payin.paid", "two letters that changed places are one difference"],
  ["payin.payd", "payin.paid", "a letter is another one"],
  ["exp", "expire", "the last three letters are missing"],
])("%s suggests %s: %s", (word, candidate) => {
  expect(closest(word, ["something else", candidate])).toBe(candidate);
});

test("of two candidates the closer one is suggested", () => {
  expect(closest("payin.pad", ["payin.xaid", "payin.paid"])).toBe("payin.paid");
});

test("a word of up to five letters may have one difference, and a long one three", () => {
  expect(closest("clokx", ["clock"])).toBeUndefined();
  expect(closest("clocx", ["clock"])).toBe("clock");
  expect(closest("webhook.xxxcess.window", ["webhook.success.window"])).toBe(
    "webhook.success.window",
  );
  expect(closest("webhook.xxxxess.window", ["webhook.success.window"])).toBeUndefined();
});

test("a beginning of two letters, or one that lacks more than three, suggests nothing", () => {
  expect(closest("ex", ["expire"])).toBeUndefined();
  expect(closest("exp", ["expired"])).toBeUndefined();
});

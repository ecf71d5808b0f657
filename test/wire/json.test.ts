import { describe, expect, it } from "vitest";
import { english } from "../../src/text/languages.ts";
import { jsonError } from "../../src/wire/json.ts";

const DOCUMENT = String.raw`{"a": [1, -2.5e+3, {}], "b\"\u00e9": {"c": null, "d": [[], true]}, "e": ""}`;

describe("jsonError", () => {
  it.each([
    ['{\n  "value": 10.50,\n  "buyer_cpf": 12345678909,\n}', 4, 1],
    ['{\n  "value": 10,50\n}', 2, 15],
    ["{\n  value: 10.50\n}", 2, 3],
    ['{"a": 1 "b": 2}', 1, 9],
    ['{"a", 1}', 1, 5],
    ['["a": 1]', 1, 5],
    ['["\\x"]', 1, 2],
    ["[1}", 1, 3],
    ["[1, ]", 1, 5],
    ["{} {}", 1, 4],
    ["", 1, 1],
  ])("names the line and the column: %j", (text, line, column) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(english(jsonError(text))).toBe(`error in line ${line}, column ${column}`);
  });

  it("takes every valid token: the error of a document that is cut short is at its end", () => {
    expect(JSON.parse(DOCUMENT)).toBeTypeOf("object");
    for (const [index] of DOCUMENT.split("").entries())
      if (/[[\]{},:]/.test(DOCUMENT.charAt(index - 1)))
        expect(english(jsonError(DOCUMENT.slice(0, index)))).toBe(
          `error in line 1, column ${index + 1}`,
        );
  });

  it("reads JSON that is nested too deeply for recursion", () => {
    expect(english(jsonError("[".repeat(100_000)))).toBe("error in line 1, column 100001");
  });
});

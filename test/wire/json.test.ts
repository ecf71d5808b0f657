import { describe, expect, it } from "vitest";
import { english } from "../../src/text/languages.ts";
import { isSameJson, jsonError } from "../../src/wire/json.ts";

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

describe("two JSON texts", () => {
  it.each([
    ["themselves", '{"a":[1,{"b":null}]}', '{"a":[1,{"b":null}]}'],
    ["members in another order", '{"a":1,"b":2}', '{"b":2,"a":1}'],
    [
      "members of members in another order",
      '{"a":{"b":1,"c":[{"d":1,"e":2}]}}',
      '{"a":{"c":[{"e":2,"d":1}],"b":1}}',
    ],
    ["numbers written in another way", '{"value":10.5}', '{"value":10.50}'],
    ["numbers with an exponent", '{"value":1050}', '{"value":1.05e3}'],
    ["texts written in another way", '{"name":"Jos\\u00e9 \\/"}', '{"name":"José /"}'],
    ["names written in another way", '{"n\\u0061me":1}', '{"name":1}'],
    ["blanks between members", '{"a":[1,2]}', ' { "a" : [ 1 , 2 ] } '],
    ["a member that is said twice", '{"a":1,"a":2}', '{"a":2}'],
    [
      "a __proto__ member in another place",
      '{"__proto__":{"a":1},"b":2}',
      '{"b":2,"__proto__":{"a":1}}',
    ],
    ["names that are numbers", '{"10":1,"9":2,"b":3}', '{"b":3,"9":2,"10":1}'],
  ])("are the same with %s", (_title, one, other) => {
    expect([isSameJson(one, other), isSameJson(other, one)]).toEqual([true, true]);
  });

  it.each([
    ["another number", '{"value":10.5}', '{"value":10.51}'],
    ["numbers of a whole", '{"value":1}', '{"value":1.0000000000000002}'],
    ["a number and its text", '{"value":10.5}', '{"value":"10.5"}'],
    ["null and its text", '{"a":null}', '{"a":"null"}'],
    ["true and its text", '{"a":true}', '{"a":"true"}'],
    ["true and 1", '{"a":true}', '{"a":1}'],
    ["null and nothing", '{"a":null}', "{}"],
    ["arrays in another order", '{"a":[1,2]}', '{"a":[2,1]}'],
    ["an array and its parts", '{"a":[[1],2]}', '{"a":[1,2]}'],
    ["an array and an object", '{"a":["x"]}', '{"a":{"0":"x"}}'],
    ["empty containers", '{"a":[]}', '{"a":{}}'],
    ["nothing and an empty text", '{"a":[]}', '{"a":[""]}'],
    ["texts that look like parts", '{"a":["1,2"]}', '{"a":["1","2"]}'],
    ["texts that look like members", '{"a":"1","b":"2"}', '{"a":"1,1:b=s1:2"}'],
    ["names that look like members", '{"a":1,"b":2}', '{"a=1,1:b":2}'],
    ["names that look like texts", '{"a:b":1}', '{"a":{"b":1}}'],
    ["quotes", '{"a":"\\"b"}', '{"a":"b\\""}'],
    ["blanks within a text", '{"a":"b c"}', '{"a":"b  c"}'],
    ["capitals", '{"a":"B"}', '{"a":"b"}'],
    ["composed and decomposed letters", '{"a":"\\u00e9"}', '{"a":"e\\u0301"}'],
    ["a __proto__ member", '{"__proto__":{"a":1}}', "{}"],
    ["what a __proto__ member holds", '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
    ["a constructor member", '{"constructor":1}', "{}"],
    ["an undocumented member", '{"value":1,"extra":1}', '{"value":1}'],
  ])("differ with %s", (_title, one, other) => {
    expect([isSameJson(one, other), isSameJson(other, one)]).toEqual([false, false]);
  });
});

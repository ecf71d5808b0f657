import { describe, expect, it } from "vitest";
import { differencesOf } from "../../../src/play/scenario/difference.ts";
import { ANYTHING } from "../../../src/play/scenario/references.ts";

describe("the differences from an expectation", () => {
  it.each<[string, unknown, unknown]>([
    ["equal values", 1, 1],
    ["members that are not expected", { a: 1 }, { a: 1, b: 2 }],
    ["any value", { a: ANYTHING, b: ANYTHING, c: ANYTHING }, { a: 0, b: "", c: false }],
    ["equal lists", [1, { a: 2 }], [1, { a: 2, b: 3 }]],
    ["null", null, null],
  ])("are none: %s", (_title, expected, found) => {
    expect(differencesOf(expected, found)).toEqual([]);
  });

  it.each<[string, unknown, unknown, readonly object[]]>([
    ["the whole value", 1, "1", [{ member: "", expected: 1, found: "1" }]],
    ["any value, but null", ANYTHING, null, [{ member: "", expected: ANYTHING, found: null }]],
    [
      "any value, but none",
      { a: ANYTHING },
      {},
      [{ member: "a", expected: ANYTHING, found: undefined }],
    ],
    [
      "members at any depth, each with its path",
      { a: { b: [1, { c: 2 }] }, d: 3 },
      { a: { b: [0, { c: 9 }] }, d: 4 },
      [
        { member: "a.b.0", expected: 1, found: 0 },
        { member: "a.b.1.c", expected: 2, found: 9 },
        { member: "d", expected: 3, found: 4 },
      ],
    ],
    [
      "a list of another length, as a whole",
      { a: [1] },
      { a: [1, 2] },
      [{ member: "a", expected: [1], found: [1, 2] }],
    ],
    ["a list instead of an object", {}, [], [{ member: "", expected: {}, found: [] }]],
    ["an object instead of a list", [], {}, [{ member: "", expected: [], found: {} }]],
    ["null instead of an object", {}, null, [{ member: "", expected: {}, found: null }]],
    [
      "a member that every object inherits",
      { toString: ANYTHING },
      {},
      [{ member: "toString", expected: ANYTHING, found: undefined }],
    ],
  ])("name %s", (_title, expected, found, differences) => {
    expect(differencesOf(expected, found)).toEqual(differences);
  });

  it("begin with the name of what is compared", () => {
    expect(differencesOf({ a: 1 }, { a: 2 }, "charge")).toEqual([
      { member: "charge.a", expected: 1, found: 2 },
    ]);
    expect(differencesOf(1, 2, "charge")).toEqual([{ member: "charge", expected: 1, found: 2 }]);
  });
});

import { describe, expect, it } from "vitest";
import {
  ANYTHING,
  hasStrayAny,
  referencesIn,
  resolve,
} from "../../../src/play/scenario/references.ts";

const VALUES: Readonly<Record<string, unknown>> = {
  "charge.id": "p1",
  "charge.value": 10.5,
  "charge.buyer": { name: "Maria" },
  "charge.buyer.name": "Maria",
  other: null,
};
const find = (name: string, path: readonly string[]): unknown => VALUES[[name, ...path].join(".")];

describe("references", () => {
  it("are found at any depth, blanks around them or not", () => {
    expect(
      referencesIn({
        a: "{{charge.id}} and {{ other }}",
        b: [{ c: "{{x1_y.a.b}}" }],
        d: 1,
        e: null,
      }),
    ).toEqual(["charge", "other", "x1_y"]);
    expect(referencesIn('{{"{{"}}charge.id}} {{1a}} {{a-b}} {{}} { {a}}')).toEqual([]);
  });

  it("become the value itself if a text is nothing else, and text within a text", () => {
    expect(resolve("{{charge.value}}", find)).toBe(10.5);
    expect(resolve("{{ charge.buyer }}", find)).toEqual({ name: "Maria" });
    expect(resolve("{{other}}", find)).toBeNull();
    expect(resolve("Id {{charge.id}}: {{charge.value}} of {{charge.buyer.name}}", find)).toBe(
      "Id p1: 10.5 of Maria",
    );
    expect(resolve("{{charge.buyer}} {{charge.id}}{{charge.id}}", find)).toBe(
      '{"name":"Maria"} p1p1',
    );
  });

  it("are replaced in lists and objects; what is no text stays", () => {
    expect(
      resolve({ a: ["{{charge.id}}", 1, null, true], b: { c: "{{charge.value}}" } }, find),
    ).toEqual({ a: ["p1", 1, null, true], b: { c: 10.5 } });
    expect(resolve(undefined, find)).toBeUndefined();
  });

  it("do not begin with two braces in quotes", () => {
    expect(resolve('{{"{{"}}', find)).toBe("{{");
    expect(resolve('{{ "{{" }}charge.id}} {{charge.id}}', find)).toBe("{{charge.id}} p1");
  });

  it("to any value are allowed only as a whole expected value", () => {
    expect(resolve("{{ any }}", find)).toBe(ANYTHING);
    expect(hasStrayAny({ a: ["{{any}}", "{{ any }}"] }, true)).toBe(false);
    expect(hasStrayAny({ a: "{{any}}" }, false)).toBe(true);
    expect(hasStrayAny({ a: "{{any}}", b: { c: "not {{any}}" } }, true)).toBe(true);
    expect(hasStrayAny({ a: "{{charge.any}}" }, false)).toBe(false);
  });
});

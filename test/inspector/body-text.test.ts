import { describe, expect, it } from "vitest";
import { type BodyView, viewBody } from "../../src/inspector/state/body-text.ts";

const textOf = ({ parts }: BodyView): string => parts.map(({ text }) => text).join("\n");
const marksOf = ({ parts }: BodyView) =>
  parts.flatMap(({ text, messages }) => (messages ? [[text.trim(), ...messages]] : []));

describe("JSON", () => {
  it("is indented as JSON.stringify indents it", () => {
    const value = { a: [1, { b: null }, []], c: {}, d: "x", e: [[true], [false]] };
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, "\t")])
      expect(textOf(viewBody(text))).toBe(JSON.stringify(value, null, 2));
  });

  it("keeps numbers, escapes and repeated names as they were written", () => {
    const view = viewBody(
      '{"value":10.50,"big":12345678901234567890,"value":1e2,"n":"\\u00e9 , {"}',
    );
    expect(view.isJson).toBe(true);
    expect(textOf(view)).toBe(
      '{\n  "value": 10.50,\n  "big": 12345678901234567890,\n  "value": 1e2,\n  "n": "\\u00e9 , {"\n}',
    );
  });

  it("is shown as it is if it is malformed", () => {
    for (const text of [
      '{"a":1,}',
      '{"a"',
      "{a: 1}",
      '\ufeff{"a":1}',
      "12",
      "ok",
      "",
      "a\nb",
      "[done] one…",
    ])
      expect(viewBody(text)).toMatchObject({ isJson: false, isWhole: true });
    expect(textOf(viewBody('{"a":1,}'))).toBe('{"a":1,}');
  });

  it("is indented up to where it was cut", () => {
    expect(textOf(viewBody('{"a":{"b":"long te…'))).toBe('{\n  "a": {\n    "b": "long te…');
    expect(textOf(viewBody('{"a":[1,2…'))).toBe('{\n  "a": [\n    1,\n    2…');
  });

  it("is shown also if more than one value comes before the cut", () => {
    expect(textOf(viewBody('{"a":1},{"b":2…'))).toBe('{\n  "a": 1\n},{\n  "b": 2…');
  });

  it("of many levels stays short", () => {
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    expect(textOf(viewBody(deep)).length).toBeLessThan(10_000 * 70);
  });
});

describe("invisible characters", () => {
  it("are made visible in JSON and in other text", () => {
    expect(textOf(viewBody('{"a\u202e":"b\u200b"}'))).toBe('{\n  "a\\u202e": "b\\u200b"\n}');
    expect(textOf(viewBody("\u0000\u202eabc"))).toBe("\\u0000\\u202eabc");
  });
});

describe("marks", () => {
  it("are at the line on which their member begins", () => {
    const body = '{"value":0,"buyer":{"value":1,"tags":["a","b"]},"list":[{"x":1}]}';
    const view = viewBody(body, [
      { path: ["value"], message: "top" },
      { path: ["buyer", "tags", 1], message: "second tag" },
      { path: ["list"], message: "list" },
    ]);
    expect(marksOf(view)).toEqual([
      ['"value": 0,', "top"],
      ['"b"', "second tag"],
      ['"list": [', "list"],
    ]);
    expect(view.absent).toEqual([]);
    expect(textOf(view)).toBe(JSON.stringify(JSON.parse(body), null, 2));
  });

  it("are at each member of a repeated name", () => {
    const view = viewBody('{"value":1,"value":2}', [{ path: ["value"], message: "wrong" }]);
    expect(marksOf(view)).toEqual([
      ['"value": 1,', "wrong"],
      ['"value": 2', "wrong"],
    ]);
  });

  it("find names that objects have by themselves, and names that are written with escapes", () => {
    const view = viewBody('{"__proto__":1,"\\u0061":2,"a.b":3}', [
      { path: ["__proto__"], message: "proto" },
      { path: ["a"], message: "a" },
      { path: ["a.b"], message: "dot" },
      { path: ["constructor"], message: "constructor" },
    ]);
    expect(marksOf(view).map(([, message]) => message)).toEqual(["proto", "a", "dot"]);
    expect(view.absent).toEqual([{ path: ["constructor"], message: "constructor" }]);
  });

  it("of members that the body does not have are absent, whatever the body is", () => {
    const mark = { path: ["buyer_cpf"], message: "required" };
    for (const text of ['{"a":{"buyer_cpf":1}}', "", "buyer_cpf", '["buyer_cpf"]'])
      expect(viewBody(text, [mark]).absent).toEqual([mark]);
  });
});

describe("a long body", () => {
  const limits = { characters: 1000, lines: 50 };

  it("is cut, but its marked lines are shown", () => {
    const body = JSON.stringify({
      list: Array.from({ length: 5000 }, (_, index) => index),
      end: 1,
    });
    const view = viewBody(body, [{ path: ["end"], message: "wrong" }], limits);
    expect(view.isWhole).toBe(false);
    expect(textOf(view).split("\n")).toHaveLength(52);
    expect(textOf(view)).toMatch(/ {4}47,\n…\n {2}"end": 1$/);
    expect(marksOf(view)).toEqual([['"end": 1', "wrong"]]);
  });

  it("of one line is cut too", () => {
    for (const text of [
      "x".repeat(100_000),
      "\u200b".repeat(100_000),
      JSON.stringify({ a: "x".repeat(100_000) }),
    ]) {
      const view = viewBody(text, [], limits);
      expect(view.isWhole).toBe(false);
      expect(textOf(view).length).toBeLessThan(6300);
      expect(viewBody(text).isWhole).toBe(true);
    }
  });
});

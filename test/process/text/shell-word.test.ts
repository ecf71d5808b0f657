import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { printableWord, shellWord, toSafeLine } from "../../../src/text/plain/safe-text.ts";

describe("a quoted word", () => {
  it.each([
    "plain",
    "",
    "two words",
    "it's",
    '"quoted"',
    "$HOME `id` \\ !",
    "a\nb\tc",
    '{"seconds":60}',
    "*?[a]~#;&|<>",
    "José 漢字 🎉",
  ])("is read by a shell as it was: %j", (word) => {
    const printed = execFileSync("sh", ["-c", `printf '%s' ${shellWord(word)}`]).toString();
    expect(printed).toBe(word);
  });

  it("stays readable if it needs no quotes", () => {
    expect(shellWord("http://127.0.0.1:7490/_sandbox/clock")).toBe(
      "http://127.0.0.1:7490/_sandbox/clock",
    );
  });
});

describe("a word for a terminal", () => {
  it.each([
    "plain",
    "it's",
    "a\n\tb",
    String.raw`{"a":"\u002e\n"}` + "\n' \\",
    "x\u001b[31m\u202ey",
  ])("is on one line without control characters, and bash reads it as it was: %j", (text) => {
    const word = printableWord(text);
    expect(toSafeLine(word)).toBe(word);
    const env = { ...process.env, LC_ALL: "C.UTF-8" };
    expect(execFileSync("bash", ["-c", `printf '%s' ${word}`], { env }).toString()).toBe(text);
  });
});

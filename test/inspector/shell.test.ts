import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { shellQuote } from "../../src/inspector/state/shell.ts";

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
    const printed = execFileSync("sh", ["-c", `printf '%s' ${shellQuote(word)}`]).toString();
    expect(printed).toBe(word);
  });

  it("stays readable if it needs no quotes", () => {
    expect(shellQuote("http://127.0.0.1:7490/_sandbox/clock")).toBe(
      "http://127.0.0.1:7490/_sandbox/clock",
    );
  });
});

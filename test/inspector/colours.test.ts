import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { html, toPage } from "../../src/platform/html.ts";

type Theme = "light" | "dark";

const COLOURS = readColours(
  readFileSync(new URL("../../src/inspector/style/colours.css", import.meta.url), "utf8"),
);
const GROUNDS = ["ground", "paper", "raised"];

/** Which texts stand on which grounds. */
const PAIRS: readonly (readonly [string, readonly string[]])[] = [
  ["text", [...GROUNDS, "accent-soft", "amber-soft", "red-soft"]],
  ["dim", [...GROUNDS, "accent-soft", "amber-soft"]],
  ["accent", [...GROUNDS, "accent-soft"]],
  ["red", [...GROUNDS, "accent-soft", "red-soft"]],
  ["amber", [...GROUNDS, "accent-soft", "amber-soft"]],
  ["blue", [...GROUNDS, "accent-soft"]],
  ["on-accent", ["accent"]],
  ["on-red", ["red"]],
];

describe("the page's colours", () => {
  it.each(PAIRS.flatMap(([text, grounds]) => grounds.map((ground) => [text, ground] as const)))(
    "%s can be read on %s, in both themes",
    (text, ground) => {
      for (const theme of ["light", "dark"] as const)
        expect(contrast(colour(text, theme), colour(ground, theme))).toBeGreaterThanOrEqual(4.5);
    },
  );

  it("are those of the pages without the inspector too", () => {
    const { body } = toPage({ title: "", lang: "en", style: "", body: html`` });
    const others = [...readColours(body)];
    expect(others.length).toBeGreaterThan(0);
    for (const [name, values] of others) expect([name, values]).toEqual([name, COLOURS.get(name)]);
  });
});

/** The colours of a style sheet, by name. */
function readColours(css: string): ReadonlyMap<string, Readonly<Record<Theme, string>>> {
  return new Map(
    Array.from(
      css.matchAll(/--([\w-]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\)/g),
      ([, name = "", light = "", dark = ""]) => [name, { light, dark }],
    ),
  );
}

function colour(name: string, theme: Theme): string {
  const found = COLOURS.get(name);
  if (!found) throw new Error(`The table has no colour ${name}.`);
  return found[theme];
}

/** As WCAG defines it. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

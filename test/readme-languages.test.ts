import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { Page } from "./support/documents.ts";

const NAMES: readonly string[] = ["README.md", "README.pt-BR.md"];
const english = await Page.read("README.md");
const portuguese = await Page.read("README.pt-BR.md");

describe("README.pt-BR.md", () => {
  it("has the headings, code, numbers and links of README.md, line by line", () => {
    const expected = outline(english.text);
    expect(expected.length).toBeGreaterThan(80);
    expect(outline(portuguese.text)).toEqual(expected);
  });

  it("is part of the package", async () => {
    const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
    expect((JSON.parse(manifest) as { files: string[] }).files).toContain("README.pt-BR.md");
  });
});

/**
 * What a text and its translation have in common: the levels of the headings, the code without its comments,
 * and of each line the code spans, the numbers, the links and the number of sentences.
 */
function outline(markdown: string): string[] {
  return markdown
    .split(/^(```[^]*?^```)$/gm)
    .flatMap((part, index) => (index % 2 === 1 ? [withoutComments(part)] : outlineOfProse(part)));
}

function outlineOfProse(prose: string): string[] {
  return prose
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => outlineOfLine(line));
}

function outlineOfLine(line: string): string {
  const [mark = ""] = /^(#+ |- |\| )/.exec(line) ?? [];
  const cells = line.split(/(?<!\\)\|/).map((cell) => {
    const spans = cell.match(/`[^`]+`/g) ?? [];
    const words = cell.replace(/`[^`]+`|\]\([^)]*\)/g, "code");
    // Languages order words differently, and write thousands differently.
    const numbers = words.match(/\d+(?:[.,]\d+)*/g) ?? [];
    const sentences = words.match(/[.?!](?=\s|$)/g) ?? [];
    const links = [...cell.matchAll(/\]\(([^)]*)\)/g)].map(([, to = ""]) =>
      NAMES.includes(to) ? "the other language" : to,
    );
    return [
      ...spans.toSorted(),
      ...numbers.map((number) => number.replaceAll(/[.,]/g, "")).toSorted(),
      ...links,
      `${sentences.length} sentences`,
    ].join(" ");
  });
  return mark + cells.join(" | ");
}

/** Code without its comments, except a comment that is a file's name. */
function withoutComments(block: string): string {
  return block.replace(/(?<=^|\s)(\/\/|#) (?!\S+$).*$/gm, "$1");
}

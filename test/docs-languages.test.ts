import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { originalOf, Page, PORTUGUESE_PAGES } from "./support/documents.ts";

const pages = await Promise.all(
  PORTUGUESE_PAGES.map(
    async (name) => [await Page.read(name), await Page.read(originalOf(name))] as const,
  ),
);

describe("the pages in Portuguese", () => {
  it.each(pages)(
    "have the headings, code, numbers and links in English: $name",
    (page, original) => {
      const expected = outline(original);
      expect(expected.length).toBeGreaterThan(20);
      expect(outline(page)).toEqual(expected);
    },
  );

  it("include the README in the package", async () => {
    const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
    expect((JSON.parse(manifest) as { files: string[] }).files).toContain("README.pt-BR.md");
  });
});

/**
 * What a text and its translation have in common: the levels of the headings, the code without its comments,
 * and of each line the code spans, the numbers, the links and the number of sentences.
 */
function outline({ name, text }: Page): string[] {
  const folder = path.dirname(name);
  return text
    .split(/^(```[^]*?^```)$/gm)
    .flatMap((part, index) =>
      index % 2 === 1 ? [outlineOfBlock(part)] : outlineOfProse(part, folder),
    );
}

function outlineOfProse(prose: string, folder: string): string[] {
  return prose
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => outlineOfLine(line, folder));
}

function outlineOfLine(line: string, folder: string): string {
  const [mark = ""] = /^(#+ |- |\| )/.exec(line) ?? [];
  const cells = line.split(/(?<!\\)\|/).map((cell) => {
    const spans = cell.match(/`[^`]+`/g) ?? [];
    const words = cell.replace(/`[^`]+`|\]\([^)]*\)/g, "code");
    // Languages order words differently, and write thousands differently.
    const numbers = words.match(/\d+(?:[.,]\d+)*/g) ?? [];
    const sentences = words.match(/[.?!](?=\s|$)/g) ?? [];
    const links = [...cell.matchAll(/\]\(([^)]*)\)/g)].map(([, to = ""]) => targetOf(to, folder));
    return [
      ...spans.toSorted(),
      ...numbers.map((number) => number.replaceAll(/[.,]/g, "")).toSorted(),
      ...links,
      `${sentences.length} sentences`,
    ].join(" ");
  });
  return mark + cells.join(" | ");
}

/** Where a link leads, with the page in English for its translation. A translation has its own anchors. */
function targetOf(link: string, folder: string): string {
  if (/^https?:/.test(link)) return link;
  const [file = "", anchor] = link.split("#");
  const target = path.join(folder, file);
  const isTranslated = PORTUGUESE_PAGES.some((name) => originalOf(name) === originalOf(target));
  return isTranslated || anchor === undefined ? originalOf(target) : `${target}#${anchor}`;
}

/** Code without its comments; of what a program prints, the number of lines: other tests compare it. */
function outlineOfBlock(block: string): string {
  if (block.startsWith("```text\n")) return `${block.split("\n").length} lines`;
  return withoutComments(block);
}

/** Code without its comments, except a comment that is a file's name. */
function withoutComments(block: string): string {
  return block.replace(/(?<=^|\s)(\/\/|#) (?!\S+$).*$/gm, "$1");
}

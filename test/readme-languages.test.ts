import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const NAMES = ["README.md", "README.pt-BR.md"] as const;
const [english, portuguese] = await Promise.all(
  NAMES.map((name) => readFile(new URL(`../${name}`, import.meta.url), "utf8")),
);

describe("README.pt-BR.md", () => {
  it("says what README.md says, line by line, as far as words do not matter", () => {
    const expected = outline(english ?? "");
    expect(expected.length).toBeGreaterThan(200);
    expect(outline(portuguese ?? "")).toEqual(expected);
  });

  it("is part of the package", async () => {
    const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
    expect((JSON.parse(manifest) as { files: string[] }).files).toContain("README.pt-BR.md");
  });
});

/**
 * What a text and its translation have in common: headings and their levels, the code without what it
 * says to people, and of each paragraph, item and table cell the code spans, the numbers, the links and
 * how many sentences there are.
 */
function outline(markdown: string): string[] {
  // The comments name what writes the tables between them.
  const parts = markdown.replace(/^<!--.*-->\n/gm, "").split(/^(```[^]*?^```)$/gm);
  const headings = parts
    .filter((_part, index) => index % 2 === 0)
    .flatMap((prose) =>
      [...prose.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => toAnchor(title)),
    );
  return parts.flatMap((part, index) =>
    index % 2 === 1
      ? [withoutWords(part)]
      : part
          .split("\n")
          .filter((line) => line.trim() !== "")
          .map((line) => outlineOf(line, headings)),
  );
}

function outlineOf(line: string, headings: readonly string[]): string {
  const [mark = ""] = /^(#+ |- |\| )/.exec(line) ?? [];
  const cells = line.split(/(?<!\\)\|/).map((cell) => {
    const spans = cell.match(/`[^`]+`/g) ?? [];
    // Other languages order words and write thousands otherwise.
    const words = cell.replace(/`[^`]+`|\]\([^)]*\)/g, "code");
    const numbers = words.match(/\d+(?:[.,]\d+)*/g) ?? [];
    const sentences = words.match(/[.?!](?=\s|$)/g) ?? [];
    const links = [...cell.matchAll(/\]\(([^)]*)\)/g)].map(([, to = ""]) => toTarget(to, headings));
    return [
      ...spans.toSorted(),
      ...numbers.map((number) => number.replaceAll(/[.,]/g, "")).toSorted(),
      ...links,
      `${sentences.length} sentences`,
    ].join(" ");
  });
  return mark + cells.join(" | ");
}

/** Where a link leads, in whatever language that is written. */
function toTarget(link: string, headings: readonly string[]): string {
  if ((NAMES as readonly string[]).includes(link)) return "the other language";
  if (!link.startsWith("#")) return link;
  const place = headings.indexOf(link.slice(1));
  if (place === -1) throw new Error(`There is no heading ${link}.`);
  return `heading ${place}`;
}

/** The anchor that a heading has on the pages of GitHub and GitLab. */
function toAnchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** Code without its comments, but those that are a file's name, and without what a story or a folder is about. */
function withoutWords(block: string): string {
  const code = block
    .replace(/(?<=^|\s)(\/\/|#) (?!\S+$).*$/gm, "$1")
    .replace(/"(says|about)": "[^"]*"/g, '"$1": ""');
  if (!code.startsWith("```\n")) return code;
  return code.replace(/^(\S+(?:\/|\.ts)) .*$/gm, "$1").replace(/^ .*\n/gm, "");
}

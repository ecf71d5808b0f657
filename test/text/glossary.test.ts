import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { GLOSSARY } from "../../src/text/terms/glossary.ts";
import { allCatalogues } from "../support/texts.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DOCS = path.join(ROOT, "docs/pt-BR");

const catalogue = Object.entries<Record<string, string | Record<string, string>>>(
  allCatalogues().get("pt-BR") ?? {},
).flatMap(([room, entries]) =>
  Object.values(entries)
    .flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry)))
    .map((text) => [room, text] as const),
);
const pages = [
  path.join(ROOT, "README.pt-BR.md"),
  ...(existsSync(DOCS) ? readdirSync(DOCS).map((name) => path.join(DOCS, name)) : []),
].flatMap((file) =>
  withoutBlocks(readFileSync(file, "utf8"))
    .split("\n")
    .map((line) => [path.basename(file), line] as const),
);

describe("the Portuguese texts", () => {
  it.each(GLOSSARY)("say $portuguese for $english", ({ not }) => {
    expect(catalogue.length).toBeGreaterThan(1000);
    const found = [...catalogue, ...pages].filter(([, text]) => not.test(withoutCode(text)));
    expect(found).toEqual([]);
  });
});

function withoutBlocks(markdown: string): string {
  return markdown.replace(/^```[^]*?^```$/gm, "");
}

/** A text without its code: quoted code, commands, types of events, names of assumptions, addresses and paths. */
function withoutCode(text: string): string {
  return text
    .replace(/`[^`]*`|\]\([^)]*\)|https?:\S+|\/[\w/-]+/g, "")
    .replace(
      /\b(?:payin|payout)s?(?:\.\w+| (?:list|create|show|pay|cancel|expire|complete)\b)/g,
      "",
    );
}

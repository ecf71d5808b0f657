import { readdir, readFile } from "node:fs/promises";

/** A text of the sources in both languages; `{…}` stands for an inserted value. */
export interface Pair {
  readonly file: string;
  readonly en: string;
  readonly pt: string;
}

const LITERAL = String.raw`("(?:[^"\\]|\\.)*"|${"`"}(?:[^${"`"}\\]|\\.)*${"`"})`;
const PAIR = new RegExp(String.raw`\ben:\s*${LITERAL},\s*pt:\s*${LITERAL}`, "g");

/** Every `{ en: …, pt: … }` below src. */
export async function textPairs(): Promise<Pair[]> {
  const root = new URL("../../src/", import.meta.url);
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const sources = await Promise.all(files.map((file) => readFile(new URL(file, root), "utf8")));
  return sources.flatMap((source, index) =>
    [...source.matchAll(PAIR)].map(([, en = "", pt = ""]) => ({
      file: files[index] ?? "",
      en: textOf(en),
      pt: textOf(pt),
    })),
  );
}

/** The inserted expressions of a text, sorted. */
export function insertedIn(text: string): string[] {
  return [...text.matchAll(/\$\{([^}]*)\}/g)].map(([, expression = ""]) => expression).toSorted();
}

function textOf(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\\(.)/g, (_all, character: string) => (character === "n" ? "\n" : character));
}

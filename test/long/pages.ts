import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

const ROOT = new URL("../../", import.meta.url);
const DOCS = new URL("docs/", ROOT);

/** Reads the README and all pages of `docs/` as one text. */
export async function readPages(): Promise<string> {
  const docs = existsSync(DOCS) ? await readdir(DOCS) : [];
  const files = docs.filter((name) => name.endsWith(".md")).map((name) => new URL(name, DOCS));
  const texts = [new URL("README.md", ROOT), ...files].map((file) => readFile(file, "utf8"));
  return (await Promise.all(texts)).join("\n");
}

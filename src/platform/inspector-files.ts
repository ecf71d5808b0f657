import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** Where the build puts the files: beside the published chunks, which are as deep below the package as this file. */
const FOLDER = new URL("../../dist/inspector/", import.meta.url);

/**
 * Reads a file of the inspector, as text.
 * @throws Error if the package was not built
 */
export function inspectorFile(name: string): Promise<string> {
  return readFile(fileURLToPath(new URL(name, FOLDER)), "utf8");
}

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { folderInPackage } from "../../platform/package-folder.ts";

/**
 * Reads a file of the inspector, as text.
 * @throws Error if the package was not built
 */
export async function inspectorFile(name: string): Promise<string> {
  return readFile(fileURLToPath(new URL(name, folderInPackage("dist/inspector/"))), "utf8");
}

import { readFile } from "node:fs/promises";
import { folderInPackage } from "../../platform/package-folder.ts";
import { pageFilesMissing } from "../calls/refusals.ts";

/** Reads a file of the inspector, which traces use too. @throws HttpRefusal if it is missing */
export async function readPageFile(name: string): Promise<string> {
  const folder = folderInPackage("dist/inspector/");
  if (!folder) throw pageFilesMissing();
  return readFile(new URL(name, folder), "utf8");
}

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The files of the package's scenarios by name, in alphabetical order. */
export async function shippedScenarios(): Promise<ReadonlyMap<string, string>> {
  const folder = findFolder();
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json"));
  const names = files.map((file) => file.slice(0, -".json".length)).toSorted();
  return new Map(names.map((name) => [name, fileURLToPath(new URL(`${name}.json`, folder))]));
}

/** Searches upwards: the built file is in another folder than this one. */
function findFolder(): URL {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    const found = new URL("fixtures/scenarios/", folder);
    if (existsSync(found)) return found;
    if (folder.pathname === new URL("..", folder).pathname)
      throw new Error("The package is incomplete: fixtures/scenarios is missing.");
  }
}

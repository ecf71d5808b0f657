import { existsSync } from "node:fs";

/**
 * A folder of the package, such as `dist/inspector/`. Searches upwards: the built file is in another folder than
 * this one.
 * @throws Error if the package does not have it
 */
export function folderInPackage(name: string): URL {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    const found = new URL(name, folder);
    if (existsSync(found)) return found;
    if (folder.pathname === new URL("..", folder).pathname)
      throw new Error(`The package is incomplete: ${name.replace(/\/$/, "")} is missing.`);
  }
}

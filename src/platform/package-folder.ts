import { existsSync } from "node:fs";

/**
 * A folder of the package, such as `dist/inspector/`; undefined if the package is in a bundle, without its files.
 * Searches upwards: the built file is in another folder than this one.
 */
export function folderInPackage(name: string): URL | undefined {
  for (let folder = ownFolder(); folder; folder = parentOf(folder)) {
    const found = new URL(name, folder);
    if (existsSync(found)) return found;
  }
  return undefined;
}

/** Undefined in an ES module that a bundler has made of CommonJS: there is no `__filename`. */
function ownFolder(): URL | undefined {
  try {
    return new URL(".", import.meta.url);
  } catch {
    return undefined;
  }
}

function parentOf(folder: URL): URL | undefined {
  const parent = new URL("..", folder);
  return parent.pathname === folder.pathname ? undefined : parent;
}

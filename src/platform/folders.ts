import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import path from "node:path";

/**
 * Creates a folder and those above it. Node's own recursive `mkdir` never returns from folders such as /proc, where
 * nothing can be created, and reports a read-only file system as a missing folder.
 * @returns the uppermost folder that it created; undefined if none
 */
export async function makeFolders(folder: string): Promise<string | undefined> {
  if (await isFolder(folder)) return undefined;
  const parent = path.dirname(folder);
  const uppermost = parent === folder ? undefined : await makeFolders(parent);
  await mkdir(folder).catch(async (error: NodeJS.ErrnoException) => {
    // Another process may have created it meanwhile.
    if (error.code !== "EEXIST" || !(await isFolder(folder))) throw error;
  });
  return uppermost ?? folder;
}

async function isFolder(name: string): Promise<boolean> {
  try {
    return (await stat(name)).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

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

/** The files by which Docker and Podman mark a container. */
const MARKS = ["/.dockerenv", "/run/.containerenv"];

/** Whether this process runs in a container, where `localhost` is not the machine. */
export function isInContainer(): boolean {
  return MARKS.some((file) => existsSync(file));
}

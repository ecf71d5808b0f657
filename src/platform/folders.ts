import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import path from "node:path";
import { pause } from "./pause.ts";

/**
 * Creates a folder and those above it. Node's own recursive `mkdir` never returns from folders such as /proc, where
 * nothing can be created, and reports a read-only file system as a missing folder.
 * @returns the uppermost folder that it created; undefined if none
 */
export async function makeFolders(folder: string): Promise<string | undefined> {
  const parent = path.dirname(folder);
  if (existsSync(folder)) return undefined;
  const uppermost = parent === folder ? undefined : await makeFolders(parent);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error; // another process may have created it meanwhile
  });
  return uppermost ?? folder;
}

/** What Windows reports while another program, such as a virus scanner, has one of the files open. */
const IN_USE: ReadonlySet<string | undefined> = new Set(["EPERM", "EACCES", "EBUSY"]);
/** The pauses before further attempts: 1.5 s together. Elsewhere that error means a missing permission. */
const PAUSES_MS = process.platform === "win32" ? [10, 20, 40, 80, 150, 300, 400, 500] : [];

/** Renames a file, over an existing one too. On Windows it tries again for a moment if one of them is in use. */
export async function replaceFile(from: string, to: string): Promise<void> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!IN_USE.has((error as NodeJS.ErrnoException).code)) throw error;
    }
    await pause(pauseMs);
  }
  await rename(from, to);
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

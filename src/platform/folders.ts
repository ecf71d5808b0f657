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

/** A file or folder of the package, such as `dist/inspector/`; undefined if the package is in a bundle, without its files. */
export function folderInPackage(name: string): URL | undefined {
  try {
    // The built file is in another folder than this one.
    const places = ["./", "../", "../../"].map((up) => new URL(up + name, import.meta.url));
    return places.find((place) => existsSync(place));
  } catch {
    return undefined; // in an ES module that a bundler has made of CommonJS: there is no `__filename`
  }
}

/** Whether this process runs in a container, where `localhost` is not the machine: Docker and Podman mark it by a file. */
export function isInContainer(): boolean {
  return ["/.dockerenv", "/run/.containerenv"].some((file) => existsSync(file));
}

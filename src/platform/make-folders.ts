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

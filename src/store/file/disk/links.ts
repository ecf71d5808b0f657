import { copyFile, type Disk, KIND_OF_FILE, REGULAR_FILE } from "./disk.ts";
import type { StateNames } from "./names.ts";

/**
 * Replaces files of a state that have other names too by copies. Such hard links are made by `cp -al`, for instance.
 * Another name is another state: a sandbox may write to the same inode under that name.
 * @param all whether to copy the journals in any case. A process that has lost the lock without noticing then writes
 * to a file without a name, which is an error, see `RealFile`
 */
export async function detachLinks(
  disk: Disk,
  names: StateNames,
  { all = false }: { readonly all?: boolean } = {},
): Promise<void> {
  // If the folder cannot be read, reading the state reports it.
  const found = await disk.list(names.folder).catch(() => []);
  const journals = names.journalsAmong(found).map(({ path }) => path);
  let hasCopies = false;
  for (const file of [names.file, ...journals]) {
    const links = await linksOf(disk, file);
    if (links === 0 || (links === 1 && !(all && file !== names.file))) continue;
    await replaceByCopy(disk, names, file);
    hasCopies = true;
  }
  if (hasCopies) await disk.syncFolder(names.folder);
}

/** @returns 0 if the file does not exist or is not a regular file */
async function linksOf(disk: Disk, file: string): Promise<number> {
  try {
    const { mode, nlink = 1 } = await disk.stat(file);
    return (mode & KIND_OF_FILE) === REGULAR_FILE ? nlink : 0;
  } catch {
    return 0;
  }
}

async function replaceByCopy(disk: Disk, names: StateNames, file: string): Promise<void> {
  const temporary = names.temporary();
  try {
    await copyFile(disk, file, temporary);
    await disk.rename(temporary, file);
  } catch (error) {
    await disk.remove(temporary).catch(() => undefined);
    throw error;
  }
}

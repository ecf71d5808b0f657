import type { Disk, DiskFile } from "../disk.ts";

/** For the state files whose lock this process can lose: throws if it has. */
const checks = new Map<string, () => void>();

/** @returns a function that ends the guard. */
export function guard(file: string, check: () => void): () => void {
  checks.set(file, check);
  return () => checks.delete(file);
}

export function isGuarded(file: string): boolean {
  return checks.has(file);
}

/**
 * The disk through which a state is changed. If the lock of the state can be lost, each change checks first
 * that it is not; and a sync checks again afterwards: only then has the process that took the state over read all of it.
 * @param file the real path of the state file
 */
export function guardedDisk(disk: Disk, file: string): Disk {
  const check = checks.get(file);
  if (!check) return disk;
  const guarded = <Given extends readonly unknown[], Result>(
    act: (...given: Given) => Promise<Result>,
  ) => {
    return async (...given: Given): Promise<Result> => {
      check();
      return act(...given);
    };
  };
  const guardedFile = (opened: DiskFile): DiskFile => ({
    write: guarded((bytes, position) => opened.write(bytes, position)),
    truncate: guarded((length) => opened.truncate(length)),
    sync: guarded(async () => {
      await opened.sync();
      check();
    }),
    close: () => opened.close(),
  });
  return {
    list: (folder) => disk.list(folder),
    realPath: (name) => disk.realPath(name),
    stat: (name) => disk.stat(name),
    read: (name) => disk.read(name),
    makeFolder: guarded((folder) => disk.makeFolder(folder)),
    create: guarded(async (name, mode) => guardedFile(await disk.create(name, mode))),
    open: guarded(async (name) => guardedFile(await disk.open(name))),
    rename: guarded((from, to) => disk.rename(from, to)),
    remove: guarded((name) => disk.remove(name)),
    syncFolder: guarded((folder) => disk.syncFolder(folder)),
  };
}

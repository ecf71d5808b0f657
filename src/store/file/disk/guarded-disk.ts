import type { Disk, DiskFile } from "./disk.ts";

/** A check for each state file whose lock this process can lose: throws if it was lost. */
const checks = new Map<string, () => void>();

/** Checks the lock before each change of the state file. @returns a function that ends this. */
export function guard(file: string, check: () => void): () => void {
  checks.set(file, check);
  return () => checks.delete(file);
}

/** Whether this process can lose the lock of a state file. */
export function isGuarded(file: string): boolean {
  return checks.has(file);
}

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
    create: guarded(async (...how) => guardedFile(await disk.create(...how))),
    open: guarded(async (name) => guardedFile(await disk.open(name))),
    rename: guarded((from, to) => disk.rename(from, to)),
    remove: guarded((name) => disk.remove(name)),
    syncFolder: guarded((folder) => disk.syncFolder(folder)),
  };
}

import path from "node:path";
import { StateFileError, StateInUseError, unreadable, unwritable } from "../errors.ts";
import { StoredSnapshots } from "../snapshots.ts";
import { openStore, type StoreOptions } from "../store.ts";
import type { OpenedState } from "../storage.ts";
import { type Disk, realDisk } from "./disk.ts";
import { Folder } from "./folder.ts";
import { lock } from "./lock.ts";
import { say } from "../../text/message.ts";

export interface StateFileOptions extends StoreOptions {
  /** Default: the machine's file system. */
  readonly disk?: Disk | undefined;
}

/** The bits of a mode that hold the file's type. */
const KIND_OF_FILE = 0o170000;
const REGULAR_FILE = 0o100000;
/** Nothing can be written there. ENOENT: the folder exists, but nothing can be created in it, as in /proc. */
const UNWRITABLE: ReadonlySet<string> = new Set(
  "EACCES EPERM EROFS ENOSPC EDQUOT ENOENT".split(" "),
);

/**
 * Opens the state in a file and the log beside it; creates the file if it does not exist.
 * @throws StateFileError if the state is damaged or not of this version; nothing is changed then. StateInUseError if
 * another process uses it. StorageError if it cannot be written.
 */
export async function openStateFile(
  file: string,
  options: StateFileOptions = {},
): Promise<OpenedState> {
  const storage = await openFolder(file, options);
  try {
    return {
      store: await openStore(storage, options),
      snapshots: new StoredSnapshots(storage),
    };
  } catch (error) {
    await storage.close();
    throw error instanceof StateFileError ? error : unwritable(file, error);
  }
}

/**
 * Locks a state file for this process, before anything is read.
 * @param options.mayCreate whether its folder is created if it does not exist (default: true)
 */
export async function openFolder(
  file: string,
  {
    disk = realDisk,
    report,
    mayCreate = true,
  }: StateFileOptions & { readonly mayCreate?: boolean } = {},
): Promise<Folder> {
  const absolute = path.resolve(file);
  try {
    if (mayCreate) await makeFolder(disk, path.dirname(absolute));
    const real = await realPath(disk, absolute);
    const found = await disk.stat(real).catch(() => undefined);
    const kind = found && found.mode & KIND_OF_FILE;
    if (kind && kind !== REGULAR_FILE) throw new StateFileError(NOT_REGULAR);
    return new Folder(disk, real, { ...(report && { report }), unlock: await lock(real) });
  } catch (error) {
    if (error instanceof StateInUseError) throw error;
    const { code = "" } = error as NodeJS.ErrnoException;
    throw UNWRITABLE.has(code) ? unwritable(file, error) : unreadable(file, error);
  }
}

const NOT_REGULAR = say`it is not a regular file`;

/** Creates the folder durably: each new folder's parent is synced. */
async function makeFolder(disk: Disk, folder: string): Promise<void> {
  const uppermost = await disk.makeFolder(folder);
  if (uppermost === undefined) return;
  const parent = path.dirname(uppermost);
  for (let made = folder; made !== parent; made = path.dirname(made))
    await disk.syncFolder(path.dirname(made));
}

/** Resolves symbolic links, also if the file does not exist yet. */
async function realPath(disk: Disk, file: string): Promise<string> {
  try {
    return await disk.realPath(file);
  } catch {
    return path.join(await disk.realPath(path.dirname(file)), path.basename(file));
  }
}

import path from "node:path";
import type { Store } from "../../core/state/ports.ts";
import { type Disk, realDisk } from "./disk/disk.ts";
import { StateFileError, StateInUseError, unreadable, unwritable } from "../errors.ts";
import { guardedDisk, isGuarded } from "./disk/guarded-disk.ts";
import { FileJournal } from "./journal/file-journal.ts";
import { realPath, StateFiles } from "./journal/state-files.ts";
import { type JournaledStoreOptions, openJournaledStore } from "../journaled/journaled-store.ts";
import { STORE_LIMITS } from "../format/limits.ts";
import { detachLinks } from "./disk/links.ts";
import { lock } from "./lock/lock.ts";
import { StateNames } from "./disk/names.ts";
import type { OpenedState } from "./opened-state.ts";
import { openSnapshots } from "./snapshot-files.ts";

export interface StateFileOptions extends JournaledStoreOptions {
  /** Default: the machine's file system. */
  readonly disk?: Disk | undefined;
}

/**
 * Opens the state in a file and the journal beside it; creates the file if it does not exist.
 * @throws StateFileError if the state is damaged or not of this version; nothing is changed then. StateInUseError if
 * another process uses it. StorageError if it cannot be written.
 */
export async function openStateFile(file: string, options: StateFileOptions = {}): Promise<Store> {
  const { report = () => undefined } = options;
  const { names, unlock, disk } = await lockState(options.disk ?? realDisk, file);
  try {
    await detachLinks(disk, names, { all: isGuarded(names.file) });
    const limits = { ...STORE_LIMITS, ...options.limits };
    const journal = new FileJournal({
      stored: new StateFiles(disk, names, limits),
      file,
      report,
      unlock,
    });
    return await openJournaledStore(journal, options);
  } catch (error) {
    await unlock();
    throw error instanceof StateFileError ? error : unwritable(file, error);
  }
}

/** Opens a state file, and the snapshots beside it. */
export async function openStateFileAndSnapshots(
  file: string,
  options: JournaledStoreOptions,
): Promise<OpenedState> {
  const store = await openStateFile(file, options);
  try {
    return { store, snapshots: await openSnapshots(file) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Locks a state file for this process, and creates its folder, before anything is read. */
export async function lockState(
  disk: Disk,
  file: string,
): Promise<{ names: StateNames; unlock: () => Promise<void>; disk: Disk }> {
  const absolute = path.resolve(file);
  try {
    await makeFolder(disk, path.dirname(absolute));
    const names = new StateNames(await realPath(disk, absolute));
    const unlock = await lock(names.file);
    return { names, unlock, disk: guardedDisk(disk, names.file) };
  } catch (error) {
    if (error instanceof StateInUseError) throw error;
    const { code = "" } = error as NodeJS.ErrnoException;
    // ENOENT: the folder exists, but nothing can be created in it, as in /proc.
    const isUnwritable = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOENT"].includes(code);
    throw isUnwritable ? unwritable(file, error) : unreadable(file, error);
  }
}

/** Creates the folder durably: each new folder's parent is synced. */
async function makeFolder(disk: Disk, folder: string): Promise<void> {
  const uppermost = await disk.makeFolder(folder);
  if (uppermost === undefined) return;
  const parent = path.dirname(uppermost);
  for (let made = folder; made !== parent; made = path.dirname(made))
    await disk.syncFolder(path.dirname(made));
}

import path from "node:path";
import { StateFileError, StateInUseError, unreadable, unwritable } from "../errors.ts";
import { openStored, type StoreOptions } from "../store.ts";
import type { OpenedState } from "../storage.ts";
import { type Disk, realDisk } from "./disk.ts";
import { Folder } from "./folder.ts";
import { lock } from "./lock.ts";
import { say } from "../../text/message.ts";

export interface StateFileOptions extends StoreOptions {
  /** Default: the machine's file system. */
  readonly disk?: Disk | undefined;
}

/** Nothing can be written there. ENOENT: the folder exists, but nothing can be created in it, as in /proc. */
const UNWRITABLE = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOENT"];

/**
 * Opens the state in a file and the log beside it; creates the file if it does not exist.
 * @throws StateFileError if the state is damaged or not of this version; nothing is changed then. StateInUseError if
 * another process uses it. StorageError if it cannot be written.
 */
export async function openStateFile(
  file: string,
  options: StateFileOptions = {},
): Promise<OpenedState> {
  return openStored(await openFolder(file, options), options);
}

/** Locks a state file for this process, before anything is read. Creates its folder if it does not exist. */
export async function openFolder(
  file: string,
  { disk = realDisk, report }: StateFileOptions = {},
): Promise<Folder> {
  const folder = path.dirname(path.resolve(file));
  try {
    await makeFolder(disk, folder);
    const inFolder = path.join(await disk.realPath(folder), path.basename(file));
    const real = await disk.realPath(inFolder).catch(() => inFolder);
    const found = await disk.stat(real).catch(() => undefined);
    if (found && !found.isFile()) throw new StateFileError(NOT_REGULAR);
    return new Folder(disk, real, report, await lock(real));
  } catch (error) {
    if (error instanceof StateInUseError) throw error;
    const { code = "" } = error as NodeJS.ErrnoException;
    throw UNWRITABLE.includes(code) ? unwritable(file, error) : unreadable(file, error);
  }
}

const NOT_REGULAR = say`it is not a regular file`;

/** Creates the folder durably: each new folder's parent is synced. */
async function makeFolder(disk: Disk, folder: string): Promise<void> {
  const uppermost = await disk.makeFolder(folder);
  if (uppermost === undefined) return;
  for (let made = folder; made !== path.dirname(uppermost); made = path.dirname(made))
    await disk.syncFolder(path.dirname(made));
}

import { readlink, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { makeFolders } from "../../platform/folders.ts";
import { StateFileError, StateInUseError, unusable } from "../errors.ts";
import { realDisk } from "./disk.ts";
import { Folder } from "./folder.ts";
import { lock } from "./lock.ts";
import { type Message, say } from "../../text/message.ts";

/**
 * Locks a state file for this process, before anything is read. Creates its folder if it does not exist.
 * @throws StateInUseError if another process uses it. StateFileError, StorageError if it cannot be read or written.
 */
export async function openFolder(file: string, report?: (text: Message) => void): Promise<Folder> {
  try {
    const folder = path.dirname(path.resolve(file));
    const uppermost = await makeFolders(folder);
    // Each new folder is made durable in its parent.
    const end = path.dirname(uppermost ?? path.join(folder, "none"));
    for (let made = folder; made !== end; made = path.dirname(made))
      await realDisk.syncFolder(path.dirname(made));
    const inFolder = path.join(await realpath(folder), path.basename(file));
    const real = await realpath(inFolder).catch(() => targetOf(inFolder));
    const found = await stat(real).catch(() => undefined);
    if (found && !found.isFile()) throw new StateFileError(say`it is not a regular file`);
    return new Folder(realDisk, real, report, await lock(real));
  } catch (error) {
    if (error instanceof StateInUseError) throw error;
    throw unusable(file, error);
  }
}

/** Where a link leads whose file does not exist yet; any other path as it is. */
async function targetOf(file: string): Promise<string> {
  const target = await readlink(file).catch(() => "");
  return path.resolve(path.dirname(file), target || path.basename(file));
}

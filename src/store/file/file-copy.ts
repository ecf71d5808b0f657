import path from "node:path";
import { type Copy, readSnapshots } from "../journaled/copied-state.ts";
import { realDisk } from "./disk/disk.ts";
import { StateExistsError, StateFileError, StateInUseError, unwritable } from "../errors.ts";
import { acceptFiles } from "./journal/accept-files.ts";
import { assertFree } from "./lock/lock.ts";
import { realPath, readStateFiles, StateFiles } from "./journal/state-files.ts";
import { STORE_LIMITS } from "../format/limits.ts";
import { StateNames } from "./disk/names.ts";
import { openSnapshots } from "./snapshot-files.ts";
import { lockState } from "./state-file.ts";
import { say } from "../../text/message.ts";

/**
 * Reads a state file, its journal and its snapshots. Changes nothing.
 * @throws StateFileError if they cannot be read, or are damaged; StateInUseError if a sandbox uses them.
 */
export async function readFileCopy(file: string): Promise<Copy> {
  const real = await realPath(realDisk, path.resolve(file)).catch(() => {
    throw noStateFile(file);
  });
  const assertUnused = await watch(real);
  const stored = await readStateFiles(realDisk, new StateNames(real));
  acceptFiles(stored, stored.db.data, file);
  if (!stored.hasStateFile) throw noStateFile(file);
  const names = new StateNames(real);
  const { length } = names.snapshotsAmong(await realDisk.list(names.folder));
  const snapshots = await readSnapshots(await openSnapshots(real), length);
  const copy = { state: stored.db.data, snapshots };
  await assertUnused();
  return copy;
}

/** Reading needs no lock, which could not be created in a read-only folder. Checks before and after that no sandbox runs. */
async function watch(file: string): Promise<() => Promise<void>> {
  const look = (): Promise<void> =>
    assertFree(file).catch((error: Error) => {
      // Reading the state reports what else is wrong with the folder.
      if (error instanceof StateInUseError) throw error;
    });
  await look();
  // A sandbox that started meanwhile has changed the files.
  return look;
}

function noStateFile(file: string): StateFileError {
  return new StateFileError(
    say`There is no state file ${file}. Check its path: a sandbox that stores its records creates .pix-sandbox/state.json, unless --state names another file.`,
  );
}

/**
 * Creates a state file with a copy, and its snapshots.
 * @throws StateExistsError if there is a state already, StateInUseError if a sandbox uses it, StorageError if it cannot
 * be written. There is no state file then.
 */
export async function createFileCopy(file: string, { state, snapshots }: Copy): Promise<void> {
  const { names, unlock, disk } = await lockState(realDisk, file);
  try {
    const found = await disk.list(names.folder);
    const isThere = found.includes(path.basename(names.file));
    const others = [...names.journalsAmong(found), ...names.snapshotsAmong(found)];
    if (isThere || others.length > 0)
      throw new StateExistsError(
        say`There is a state at ${file}${isThere ? "" : ` (${others[0]?.path})`}. Nothing was changed. Choose another file, or delete it and the files beside it.`,
      );
    const target = await openSnapshots(names.file);
    try {
      for (const { snapshot, rows } of snapshots) await target.save(snapshot, rows);
      // The state file comes last: without it there is no state.
      const { db } = new StateFiles(disk, names, STORE_LIMITS);
      db.data = state;
      await db.write();
    } catch (error) {
      for (const { snapshot } of snapshots) await target.delete(snapshot).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw error instanceof StateExistsError ? error : unwritable(file, error);
  } finally {
    await unlock();
  }
}

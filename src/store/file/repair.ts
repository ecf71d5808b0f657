import path from "node:path";
import type { Records } from "../../core/state/records.ts";
import { copyFile, type Disk, realDisk } from "./disk/disk.ts";
import {
  type Damage,
  type RecordList,
  StateFileError,
  StateInUseError,
  unwritable,
} from "../errors.ts";
import { guardedDisk } from "./disk/guarded-disk.ts";
import { assertFree, lock } from "./lock/lock.ts";
import { quarantineName, StateNames } from "./disk/names.ts";
import { readStateFiles, realPath, type StateFiles } from "./journal/state-files.ts";
import { type Message, say } from "../../text/message.ts";

/** The content of a state's files, and what is wrong with them. */
export interface StateReport {
  readonly file: string;
  readonly payins: number;
  readonly payouts: number;
  readonly deliveries: number;
  /** The position of the last commit that can be read. */
  readonly commits: number;
  /** Whether the state file exists. If not, it can be rebuilt from its journal. */
  readonly hasStateFile: boolean;
  /** Lines that cannot be read. A start refuses such a state. */
  readonly damages: readonly Damage[];
  /** An incomplete last line, which a start removes. */
  readonly tornTail: { readonly file: string; readonly line: number } | undefined;
  /** How the state file was changed since it was written; undefined if it was not, or if that is unknown. */
  readonly changed: Message | undefined;
  /** Records that are in the state file more than once. */
  readonly twice: readonly { readonly list: RecordList; readonly id: string }[];
  /** The quarantined files of a repair. */
  readonly aside: readonly string[];
}

/**
 * Reads a state without changing anything.
 * @param look receives the records
 * @throws StateFileError if there is no state that this version reads, StateInUseError if a sandbox uses it.
 */
export function checkState(
  file: string,
  disk: Disk = realDisk,
  look: (records: Records) => void = () => undefined,
): Promise<StateReport> {
  return withState(file, disk, watch, async (_names, stored) => {
    look(stored.db.data.records);
    return report(file, stored, []);
  });
}

/**
 * Writes a state file with everything that can be read, which includes all journal lines before the first damaged
 * one. Quarantines the damaged files.
 * @throws StateFileError if nothing can be read, StateInUseError if a sandbox uses the state, StorageError if it
 * cannot be written.
 */
export function repairState(file: string, disk: Disk = realDisk): Promise<StateReport> {
  const take = (real: string): ReturnType<typeof lock> => lock(real).catch(failTo(file));
  return withState(file, disk, take, async (names, stored, guarded) => {
    const isSound = stored.damages.length === 0 && !stored.tornTail && stored.hasStateFile;
    const aside = isSound ? [] : await repair(guarded, names, stored).catch(failTo(file));
    return report(file, stored, aside);
  });
}

/** Reading needs no lock, which could not be created in a read-only folder. Checks before and after that no sandbox runs. */
export async function watch(file: string): Promise<() => Promise<void>> {
  const look = (): Promise<void> =>
    assertFree(file).catch((error: Error) => {
      // Reading the state reports what else is wrong with the folder.
      if (error instanceof StateInUseError) throw error;
    });
  await look();
  // A sandbox that started meanwhile has changed the files.
  return look;
}

function failTo(file: string): (error: Error) => never {
  return (error) => {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof StateFileError || error instanceof StateInUseError) throw error;
    if (code === "ENOTDIR") throw noStateFile(file);
    throw unwritable(file, error);
  };
}

export function noStateFile(file: string): StateFileError {
  return new StateFileError(
    say`There is no state file ${file}. Check its path: a sandbox that stores its records creates .pix-sandbox/state.json, unless --state names another file.`,
  );
}

async function withState(
  file: string,
  disk: Disk,
  take: (file: string) => Promise<() => Promise<void>>,
  use: (names: StateNames, stored: StateFiles, disk: Disk) => Promise<StateReport>,
): Promise<StateReport> {
  const missing = noStateFile(file);
  const real = await realPath(disk, path.resolve(file)).catch(() => {
    throw missing;
  });
  const names = new StateNames(real);
  const release = await take(real);
  try {
    const guarded = guardedDisk(disk, real);
    const stored = await readStateFiles(guarded, names);
    if (!stored.hasStateFile && stored.journals.length === 0) throw missing;
    return await use(names, stored, guarded);
  } finally {
    await release();
  }
}

/** After a crash at any step, the same repair can be made again. */
async function repair(disk: Disk, names: StateNames, stored: StateFiles): Promise<string[]> {
  const { db, damages, tornTail, journals } = stored;
  if (!stored.hasStateFile && db.data.sequence === 0)
    throw new StateFileError(
      say`The state file ${names.file} is missing, and its journal does not start at the first commit, so nothing can be rebuilt from it. Restore the file, or delete the journal too to start over.`,
    );
  const bad = new Set([...damages.map(({ file }) => file), ...(tornTail ? [tornTail.file] : [])]);
  const quarantined: string[] = [];
  if (bad.has(names.file)) {
    const copy = quarantineName(names.file, "damaged");
    await copyFile(disk, names.file, copy);
    await disk.syncFolder(names.folder);
    quarantined.push(copy);
  }
  await db.write();
  let isBehindDamage = false;
  for (const { path: journal } of journals) {
    isBehindDamage ||= bad.has(journal);
    if (!isBehindDamage) {
      await disk.remove(journal);
      continue;
    }
    const name = quarantineName(journal, "damaged");
    await disk.rename(journal, name);
    quarantined.push(name);
  }
  for (const leftover of stored.leftovers) await disk.remove(leftover);
  await disk.syncFolder(names.folder);
  return quarantined;
}

function report(file: string, stored: StateFiles, aside: readonly string[]): StateReport {
  const { db, adapter, damages, tornTail, hasStateFile } = stored;
  const { records, sequence } = db.data;
  return {
    file,
    payins: records.payins.size,
    payouts: records.payouts.size,
    deliveries: records.deliveries.size,
    commits: sequence,
    hasStateFile,
    damages,
    tornTail: tornTail && { file: tornTail.file, line: tornTail.line },
    changed: stored.changed,
    twice: adapter.twice,
    aside,
  };
}

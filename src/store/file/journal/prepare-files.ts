import path from "node:path";
import type { State } from "../../../core/state/ports.ts";
import { type Disk, writeAll } from "../disk/disk.ts";
import { quarantineName, type JournalFile, type StateNames } from "../disk/names.ts";
import type { TornTail } from "./journal-reader.ts";
import type { StateFiles } from "./state-files.ts";
import { type Message, say } from "../../../text/message.ts";

/**
 * Cleans up after the previous process: syncs what was read, deletes what is not part of the state, and creates a
 * missing state file.
 * @returns the journal files with entries, and the mode for new ones.
 */
export async function prepareFiles(
  { disk, names, db, hasStateFile, journals, leftovers }: StateFiles,
  { sequence }: State,
): Promise<{ journals: readonly JournalFile[]; mode: number }> {
  // A file that begins after the last commit has no entry.
  const used = journals.filter(({ first }) => first <= sequence);
  const empty = journals.filter(({ first }) => first > sequence);
  // The previous process may not have synced it, and new commits build on it.
  for (const journal of used) await syncFile(disk, journal.path);
  await disk.syncFolder(names.folder);
  for (const unneeded of [...leftovers, ...empty.map((journal) => journal.path)])
    await disk.remove(unneeded);
  // A journal must never exist without its state file.
  if (!hasStateFile) {
    // A process that died may have created the folder without syncing its parent.
    await disk.syncFolder(path.dirname(names.folder)).catch(unlessForbidden);
    await db.write();
  }
  const { mode } = await disk.stat(names.file);
  // The owner always needs to write the journal, whatever the mode of the state file.
  return { journals: used, mode: (mode & 0o777) | 0o600 };
}

/** Saves the incomplete last line in a file of its own, then removes it from the journal. @returns the text to report. */
export async function removeTornTail(
  disk: Disk,
  names: StateNames,
  { file, offset, line }: TornTail,
): Promise<Message> {
  const saved = quarantineName(file);
  const torn: Buffer[] = [];
  for await (const piece of disk.read(file)) torn.push(piece);
  const bytes = Buffer.concat(torn).subarray(offset);
  const copy = await disk.create(saved, 0o600);
  await writeAll(copy, bytes, 0)
    .then(() => copy.sync())
    .finally(() => copy.close());
  await disk.syncFolder(names.folder);
  const journal = await disk.open(file);
  await journal
    .truncate(offset)
    .then(() => journal.sync())
    .finally(() => journal.close());
  return say`Line ${line} of ${file} was incomplete when the sandbox last ended. Its ${bytes.length} bytes were removed from the journal and saved in ${saved}.`;
}

/** Another user owns the folder. */
function unlessForbidden(error: NodeJS.ErrnoException): void {
  if (error.code !== "EACCES" && error.code !== "EPERM") throw error;
}

async function syncFile(disk: Disk, name: string): Promise<void> {
  const file = await disk.open(name);
  await file.sync().finally(() => file.close());
}

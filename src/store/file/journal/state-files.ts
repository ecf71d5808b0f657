import path from "node:path";
import { Low } from "lowdb";
import type { JournalEntry, State } from "../../../core/state/ports.ts";
import { Records } from "../../../core/state/records.ts";
import type { Disk } from "../disk/disk.ts";
import { type Damage, reasonOf, StateFileError } from "../../errors.ts";
import { STORE_LIMITS, type StoreLimits } from "../../format/limits.ts";
import type { JournalFile, StateNames } from "../disk/names.ts";
import { readAll } from "../../journaled/read-all.ts";
import { StateAdapter } from "./adapter.ts";
import { JournalReader, type TornTail } from "./journal-reader.ts";
import { say } from "../../../text/message.ts";

/** The state file and its journal. Reading them changes nothing; what is wrong with them is collected. */
export class StateFiles {
  readonly disk: Disk;
  readonly names: StateNames;
  readonly adapter: StateAdapter;
  /** lowdb, whose data is the state. */
  readonly db: Low<State>;
  hasStateFile = false;
  /** The files with entries that are not in the state file, oldest first. */
  journals: readonly JournalFile[] = [];
  /** Files that are not, or no longer, part of the state. */
  leftovers: readonly string[] = [];
  #reader: JournalReader | undefined;

  constructor(disk: Disk, names: StateNames, limits: StoreLimits) {
    this.disk = disk;
    this.names = names;
    this.adapter = new StateAdapter(disk, names, limits);
    // lowdb's presets would use memory whenever NODE_ENV is "test".
    this.db = new Low<State>(this.adapter, { records: new Records(), sequence: 0 });
  }

  /** @throws StateFileError if the file cannot be read or is not a state of this version. */
  async readState(empty: State): Promise<void> {
    this.adapter.empty = empty;
    await this.db.read();
    this.hasStateFile = this.db.data === empty;
    this.db.data = empty;
  }

  /** @throws StateFileError if a file cannot be read. Lines that cannot be read are damages. */
  async read(position: number, onEntry: (entry: JournalEntry) => void): Promise<void> {
    const { disk, names } = this;
    const found = await disk.list(names.folder).catch(({ message }: Error) => {
      throw new StateFileError(
        say`The folder of the state file ${names.file} cannot be read: ${message}.`,
      );
    });
    const all = names.journalsAmong(found);
    // A file adds nothing if the next one begins at or before the position.
    this.journals = all.filter((_, index) => (all[index + 1]?.first ?? Infinity) > position + 1);
    const merged = all.slice(0, all.length - this.journals.length);
    this.leftovers = [...merged.map((journal) => journal.path), ...names.temporariesAmong(found)];
    const reader = new JournalReader(position, onEntry);
    this.#reader = reader;
    try {
      for (const journal of this.journals) await reader.read(disk, journal);
    } catch (error) {
      const reason = reasonOf(error);
      throw new StateFileError(
        say`The journal of the state file ${names.file} cannot be read: ${reason}.`,
      );
    }
  }

  get journalBytes(): number {
    return this.#reader?.bytes ?? 0;
  }

  /** The incomplete line at the end of the journal. */
  get tornTail(): TornTail | undefined {
    return this.#reader?.tornTail;
  }

  /** Lines that cannot be read, other than an incomplete last one. */
  get damages(): readonly Damage[] {
    return [...this.adapter.damages, ...(this.#reader?.damages ?? [])];
  }
}

/**
 * Reads the state file and its journal.
 * @throws StateFileError if a file cannot be read or is not a state of this version.
 */
export async function readStateFiles(
  disk: Disk,
  names: StateNames,
  limits = STORE_LIMITS,
): Promise<StateFiles> {
  const files = new StateFiles(disk, names, limits);
  await readAll(files);
  return files;
}

/** Resolves symbolic links, also if the file does not exist yet. */
export async function realPath(disk: Disk, file: string): Promise<string> {
  try {
    return await disk.realPath(file);
  } catch {
    return path.join(await disk.realPath(path.dirname(file)), path.basename(file));
  }
}

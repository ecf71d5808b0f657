import { LocalizedError } from "../../../core/records/errors.ts";
import type {
  CompactionOptions,
  Journal,
  JournalEntry,
  JournalSize,
  State,
} from "../../../core/state/ports.ts";
import { reasonOf } from "../../errors.ts";
import type { StateAdapter } from "./adapter.ts";
import { acceptFiles } from "./accept-files.ts";
import { JournalLines } from "../../format/journal-line.ts";
import { prepareFiles, removeTornTail } from "./prepare-files.ts";
import type { StateFiles } from "./state-files.ts";
import { type Disk, type DiskFile, writeAll } from "../disk/disk.ts";
import type { JournalFile, StateNames } from "../disk/names.ts";
import { type Message, say } from "../../../text/message.ts";

/** A journal in files: the state file, which lowdb holds, and files beside it with one line per commit. */
export class FileJournal implements Journal<JournalLines> {
  readonly compactsAtClose = true;
  readonly #stored: StateFiles;
  readonly #adapter: StateAdapter;
  readonly #file: string;
  readonly #report: (text: Message) => void;
  readonly #unlock: () => Promise<void>;
  #files: JournalFiles | undefined;
  #position = 0;
  /** Why appending is impossible: whether only because the disk was full. */
  #failure: { readonly isOnlyFull: boolean } | undefined;
  /** Appending and starting a new file take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: {
    stored: StateFiles;
    /** The name of the state file for messages. */
    file: string;
    report: (text: Message) => void;
    /** Releases the lock of the state file when the journal is closed. */
    unlock: () => Promise<void>;
  }) {
    this.#stored = parts.stored;
    this.#adapter = parts.stored.adapter;
    this.#file = parts.file;
    this.#report = parts.report;
    this.#unlock = parts.unlock;
  }

  readState(empty: State): Promise<void> {
    return this.#stored.readState(empty);
  }

  read(position: number, onEntry: (entry: JournalEntry) => void): Promise<void> {
    return this.#stored.read(position, onEntry);
  }

  async start(state: State): Promise<void> {
    const { disk, names, tornTail } = this.#stored;
    acceptFiles(this.#stored, state, this.#file);
    if (tornTail) this.#report(await removeTornTail(disk, names, tornTail));
    const { journals, mode } = await prepareFiles(this.#stored, state);
    this.#position = state.sequence;
    this.#files = new JournalFiles({
      disk,
      names,
      mode,
      older: journals,
      olderBytes: journals.length > 0 ? this.#stored.journalBytes : 0,
    });
    await this.#files.startNew(this.#position + 1);
  }

  createBatch(): JournalLines {
    return new JournalLines();
  }

  append(position: number, lines: JournalLines): Promise<void> {
    return this.#inTurn(async () => {
      let isWritten = false;
      try {
        if (position !== this.#position)
          throw new Error(`position ${position} was expected to be ${this.#position}`);
        const { bytes } = lines;
        await this.#writeOrMakeRoom(bytes);
        isWritten = true;
        await this.#open.sync(bytes);
        this.#position += lines.count;
      } catch (error) {
        // With O_DSYNC a write also syncs. If it fails because the disk is full, the roll-back removes all the bytes of
        // that write.
        this.#failure = { isOnlyFull: !isWritten && isFull(error as Error) };
        throw unwritableJournal(this.#stored.names.file, error);
      }
    });
  }

  rollBack(): Promise<boolean> {
    return this.#inTurn(async () => {
      try {
        await this.#open.cutBack();
      } catch {
        // The next start removes an incomplete line. Complete lines were never acknowledged, and may stay.
        this.#failure = { isOnlyFull: false };
      }
      return this.#failure?.isOnlyFull ?? true;
    });
  }

  async recover(state: State): Promise<void> {
    await this.#adapter.probe();
    if (!this.#failure?.isOnlyFull) {
      // A file whose sync has failed is never synced again: the system may report success for lost bytes.
      await this.#writeState(state);
      this.#position = state.sequence;
      await this.#open.startNew(this.#position + 1, { isSound: false });
      // The lines in the old files cannot come back: the state file has reached their positions.
      this.#failure = { isOnlyFull: true };
      await this.#open.removeOlder();
    }
    this.#failure = undefined;
  }

  async compact(state: State, { durable, signal }: CompactionOptions): Promise<void> {
    const cancel = (): void => void this.#adapter.giveWay();
    signal.addEventListener("abort", cancel);
    try {
      await this.#inTurn(() => this.#startNewFile());
      signal.throwIfAborted();
      await this.#writeState(state, durable);
      await this.#open.removeOlder();
    } catch (error) {
      if (signal.aborted) throw error;
      const isLost = !(await this.#open.isInPlace());
      throw failedCompaction(this.#stored.names.file, error, isLost);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  get size(): JournalSize {
    const { bytes: stateBytes, sequence: compactedTo } = this.#adapter;
    return { entryBytes: this.#files?.bytes ?? 0, stateBytes, compactedTo };
  }

  async close(state: State | undefined): Promise<void> {
    try {
      // If it fails, state file and journal stay as they are.
      if (state) await this.#writeState(state).catch(() => undefined);
      await this.#turn;
      await this.#files?.close(this.#position > this.#adapter.sequence);
      // A run without any commit leaves no state file behind.
      const { disk, names, hasStateFile } = this.#stored;
      const isSound = this.#failure?.isOnlyFull ?? true;
      if (this.#position === 0 && isSound && !hasStateFile)
        await disk.remove(names.file).catch(() => undefined);
    } finally {
      await this.#unlock();
    }
  }

  async #startNewFile(): Promise<void> {
    if (this.#failure) throw new Error("appending has failed");
    await this.#open.startNew(this.#position + 1);
  }

  /** @param durable for a state that may contain commits that are not durable yet */
  async #writeState(state: State, durable = () => Promise.resolve()): Promise<void> {
    const { db } = this.#stored;
    this.#adapter.untilDurable = durable;
    db.data = state;
    await db.write();
  }

  async #writeOrMakeRoom(bytes: Buffer): Promise<void> {
    try {
      await this.#open.write(bytes);
    } catch (error) {
      if (!isFull(error as Error) || !(await this.#adapter.giveWay())) throw error;
      await this.#open.write(bytes);
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  get #open(): JournalFiles {
    if (!this.#files) throw new Error("The journal was not started.");
    return this.#files;
  }
}

function unwritableJournal(file: string, error: unknown): LocalizedError {
  const reason = reasonOf(error);
  return new LocalizedError(
    say`The journal of the state file ${file} cannot be written: ${reason}. If the disk is full, free some space.`,
  );
}

/** @param isLost whether the last journal file does not exist any more */
function failedCompaction(file: string, error: unknown, isLost: boolean): LocalizedError {
  const reason = reasonOf(error);
  const loss = isLost ? ONLY_IN_MEMORY : NOTHING_LOST;
  return new LocalizedError(
    say`The journal could not be merged into the state file ${file}: ${reason}. ${loss}`,
  );
}

const NOTHING_LOST = say`Nothing is lost: the journal holds all changes.`;
const ONLY_IN_MEMORY = say`The journal file is missing too: later changes are only in memory.`;

/** No space on the disk, or none left in the user's quota. */
const FULL = new Set(["ENOSPC", "EDQUOT"]);

function isFull({ code = "" }: NodeJS.ErrnoException): boolean {
  return FULL.has(code);
}

/** The files that the journal consists of: appends to the last one, starts new ones, deletes old ones. */
class JournalFiles {
  readonly #disk: Disk;
  readonly #names: StateNames;
  readonly #mode: number;
  #file: DiskFile | undefined;
  /** All files that are part of the state; the last one is being written to. */
  #files: JournalFile[];
  /** The length of the last file up to its last durable line. */
  #length = 0;
  #bytes: number;

  /** @param older the files that were read, and their size */
  constructor(parts: {
    disk: Disk;
    names: StateNames;
    mode: number;
    older: readonly JournalFile[];
    olderBytes: number;
  }) {
    this.#disk = parts.disk;
    this.#names = parts.names;
    this.#mode = parts.mode;
    this.#files = [...parts.older];
    this.#bytes = parts.olderBytes;
  }

  /** The size of all files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Writes to the end of the last file. May be repeated after a failure. */
  async write(bytes: Buffer): Promise<void> {
    await writeAll(this.#open, bytes, this.#length);
  }

  async sync(bytes: Buffer): Promise<void> {
    await this.#open.sync();
    this.#length += bytes.length;
    this.#bytes += bytes.length;
  }

  /** Removes what was written after the last durable line. */
  async cutBack(): Promise<void> {
    await this.#open.truncate(this.#length);
    await this.#open.sync();
  }

  /**
   * Starts a new file, unless the last one is still empty.
   * @param first the position of the first entry in the new file
   * @param isSound whether the last file may still be written to
   */
  async startNew(first: number, { isSound = true } = {}): Promise<void> {
    const next = this.#names.journal(first);
    if (isSound && next.first === this.#files.at(-1)?.first) return;
    const file = await this.#create(next.path);
    try {
      await this.#disk.syncFolder(this.#names.folder);
    } catch (error) {
      await file.close().catch(() => undefined);
      await this.#disk.remove(next.path).catch(() => undefined);
      throw error;
    }
    // All of it is written and synced: a failure to close it loses nothing.
    await this.#file?.close().catch(() => undefined);
    this.#file = file;
    this.#files.push(next);
    this.#length = 0;
  }

  async removeOlder(): Promise<void> {
    while (this.#files.length > 1) {
      const [oldest] = this.#files as [JournalFile];
      await this.#disk.remove(oldest.path).catch(unlessMissing);
      this.#files.shift();
    }
    this.#bytes = this.#length;
  }

  /** Whether the last file still exists under its name. */
  async isInPlace(): Promise<boolean> {
    const last = this.#files.at(-1);
    if (last === undefined) return false;
    return this.#disk.stat(last.path).then(
      () => true,
      () => false,
    );
  }

  /** @param isNeeded false deletes the files; what cannot be deleted now is deleted by the next start */
  async close(isNeeded: boolean): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
    const unneeded = isNeeded ? [] : this.#files.splice(0);
    for (const { path } of unneeded) await this.#disk.remove(path).catch(() => undefined);
  }

  async #create(path: string): Promise<DiskFile> {
    const create = (): Promise<DiskFile> => this.#disk.create(path, this.#mode, true);
    try {
      return await create();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      // An empty file with this name is left from an earlier attempt.
      if ((await this.#disk.stat(path)).size > 0) throw error;
      await this.#disk.remove(path);
      return await create();
    }
  }

  get #open(): DiskFile {
    if (!this.#file) throw new Error("The journal is closed.");
    return this.#file;
  }
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

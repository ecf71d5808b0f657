import { randomUUID } from "node:crypto";
import path from "node:path";
import { LocalizedError } from "../../core/records/errors.ts";
import { reasonOf, StateFileError, unusable } from "../errors.ts";
import { type OnEntry, STATE, type Storage } from "../storage.ts";
import { LINE_BEGINNING, linesIn, misplaced, readBlocks, readLine } from "../text/lines.ts";
import { type Disk, type DiskFile, writeAll, writePieces } from "./disk.ts";
import { type Message, say } from "../../text/message.ts";

/** Only the owner may read files with tokens and secrets. */
const NEW_FILE_MODE = 0o600;
/** How much free space is required before entries are accepted again. */
const PROBE = Buffer.alloc(1 << 16, " ");

/**
 * A state in a folder: the document `state` is the state file; all others, and the log, are files beside it whose names
 * begin with its name.
 *
 * The log is a file for each time that it was begun: by a start, by a compaction, after a failure. **A file counts up
 * to where the next one begins.** So neither an incomplete last line nor one whose append failed has to be removed,
 * which a failing disk might not allow: the next file says that they do not count.
 */
export class Folder implements Storage {
  readonly #disk: Disk;
  readonly #file: string;
  readonly #folder: string;
  readonly #report: (text: Message) => void;
  readonly #unlock: () => Promise<void>;
  /** The positions of the first entries of its files. The last one is being written to. */
  #log: number[] = [];
  #open: DiskFile | undefined;
  /** The length of the open file up to its last durable line. */
  #length = 0;
  /** Why nothing may be written to the open file any more. */
  #failure: unknown;

  /**
   * @param file the state file, without links in its path
   * @param unlock releases the lock of the state when it is closed
   */
  constructor(
    disk: Disk,
    file: string,
    report: (text: Message) => void = () => undefined,
    unlock: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#disk = disk;
    this.#file = file;
    this.#folder = path.dirname(file);
    this.#report = report;
    this.#unlock = unlock;
  }

  placeOf(document: string): string {
    return document === STATE ? this.#file : `${this.#file}.${document}`;
  }

  explain(error: unknown): Error {
    return error instanceof StateFileError ? error : unusable(this.#file, error);
  }

  async read(document: string): Promise<AsyncIterable<Buffer> | undefined> {
    const file = this.placeOf(document);
    const found = await this.#disk.stat(file).catch(unlessMissing);
    return found && this.#disk.read(file);
  }

  async write(document: string, pieces: Iterable<Buffer>, untilSafe?: Promise<void>) {
    const target = this.placeOf(document);
    // A file that replaces another one gets its mode.
    const found = await this.#disk.stat(target).catch(() => undefined);
    const temporary = `${this.#file}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`;
    try {
      const file = await this.#disk.create(temporary, found ? found.mode & 0o777 : NEW_FILE_MODE);
      const bytes = await writePieces(file, pieces).finally(() => file.close());
      await untilSafe;
      await this.#disk.rename(temporary, target);
      await this.#disk.syncFolder(this.#folder);
      return bytes;
    } catch (error) {
      await this.#disk.remove(temporary).catch(() => undefined);
      throw error;
    }
  }

  async remove(document: string): Promise<boolean> {
    const isRemoved = await this.#remove(this.placeOf(document));
    if (isRemoved) await this.#disk.syncFolder(this.#folder);
    return isRemoved;
  }

  async documents(): Promise<readonly string[]> {
    const names = await this.#names();
    return names.filter((name) => /^[^@]+(?:@[0-9a-f]{16})?\.snapshot$/.test(name));
  }

  async readLog(after: number, onEntry: OnEntry): Promise<void> {
    const names = await this.#names();
    this.#log = names
      .flatMap((name) => /^([1-9]\d{0,15})\.journal$/.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((one, other) => one - other);
    const hasState = await this.#disk.stat(this.#file).catch(unlessMissing);
    for (const file of hasState ? [] : this.#log.map((first) => this.#pathOf(first)))
      if ((await this.#disk.stat(file)).size > 0)
        throw new StateFileError(
          say`The state file ${this.#file} is missing, but its journal ${file} exists. Restore the file, or move the journal away too to start empty.`,
        );
    // Without a state they are all empty.
    if (!hasState) return;
    let next = after + 1;
    for (const [index, first] of this.#log.entries()) {
      const end = this.#log[index + 1] ?? Number.POSITIVE_INFINITY;
      // The state has all of it.
      if (end <= next) continue;
      if (first > next) throw this.#damaged(this.#pathOf(first), 1, misplaced(first, next));
      await this.#readFile(first, end, (entry, bytes) => {
        if (entry.sequence < next) return;
        onEntry(entry, bytes);
        next = entry.sequence + 1;
      });
    }
  }

  /** @param end the position of the first entry that the file does not count for */
  async #readFile(first: number, end: number, onEntry: OnEntry): Promise<void> {
    const file = this.#pathOf(first);
    let position = first;
    let number = 0;
    let broken: Message | undefined;
    const read = (line: Buffer): void => {
      if (position >= end) return;
      // A process that died while it wrote has left nothing after that.
      if (broken) throw this.#damaged(file, number, broken);
      number++;
      const entry = readLine(line, position);
      if ("sequence" in entry) {
        position++;
        return onEntry(entry, line.length + 1);
      }
      broken = entry.reason;
      if (entry.isWhole || line.includes(LINE_BEGINNING, 1))
        throw this.#damaged(file, number, broken);
    };
    const rest = await readBlocks(this.#disk.read(file), (block) => linesIn(block).forEach(read));
    if (rest.length > 0) read(rest);
    if (!broken) return;
    if (end !== Number.POSITIVE_INFINITY) throw this.#damaged(file, number, broken);
    this.#report(
      say`Line ${number} of ${file}, the last one, is incomplete or damaged, as a crash leaves it. It does not count.`,
    );
  }

  async startLog(position: number): Promise<void> {
    const isUnused = this.#open !== undefined && this.#length === 0 && this.#failure === undefined;
    if (isUnused && this.#log.at(-1) === position + 1) return;
    if (!this.#open) await this.#startFirst();
    const file = this.#pathOf(position + 1);
    let opened: DiskFile | undefined;
    try {
      // What they have was never acknowledged.
      for (const first of this.#log.filter((one) => one > position + 1))
        await this.#remove(this.#pathOf(first));
      await this.#remove(file);
      opened = await this.#disk.create(file, NEW_FILE_MODE, true);
      if (this.#failure !== undefined) await probe(opened);
      await this.#disk.syncFolder(this.#folder);
    } catch (error) {
      // It may have been begun: with a line more in the file before it, that line would not count.
      this.#failure ??= error;
      // On a full disk it would take the space that is looked for.
      await opened?.truncate(0).catch(() => undefined);
      await opened?.close().catch(() => undefined);
      throw error;
    }
    // Everything in it is durable, or counts no more.
    await this.#open?.close().catch(() => undefined);
    this.#log = [...this.#log.filter((first) => first <= position), position + 1];
    this.#open = opened;
    this.#length = 0;
    this.#failure = undefined;
  }

  async append(lines: Buffer): Promise<void> {
    try {
      if (!this.#open || this.#failure !== undefined)
        throw this.#failure ?? new Error("it is closed");
      await writeAll(this.#open, lines, this.#length);
      await this.#open.sync();
    } catch (error) {
      this.#failure = error;
      throw new LocalizedError(
        say`The journal of the state file ${this.#file} cannot be written: ${reasonOf(error)}. If the disk is full, free some space.`,
      );
    }
    this.#length += lines.length;
  }

  async dropLog(to: number): Promise<void> {
    while ((this.#log[1] ?? Number.POSITIVE_INFINITY) <= to + 1) {
      await this.#remove(this.#pathOf(this.#log[0] ?? 0));
      // Only now: without those after it, one that could not be removed would count to its end.
      this.#log.shift();
    }
  }

  async close(): Promise<void> {
    try {
      await this.#open?.close().catch(() => undefined);
      const [first = 0, ...others] = this.#log;
      // The state has everything: no log is needed beside it. The removal of those before it is made durable first: one
      // that came back after a loss of power would count to its end.
      if (this.#open && this.#length === 0 && others.length === 0)
        await this.#disk
          .syncFolder(this.#folder)
          .then(() => this.#disk.remove(this.#pathOf(first)))
          .catch(() => undefined);
      this.#open = undefined;
    } finally {
      await this.#unlock();
    }
  }

  /** Makes durable what a process that was killed may not have synced: new entries build on it. */
  async #startFirst(): Promise<void> {
    for (const first of this.#log) {
      const opened = await this.#disk.open(this.#pathOf(first));
      await opened.sync().finally(() => opened.close());
    }
    await this.#disk.syncFolder(this.#folder);
    for (const name of await this.#names())
      if (/^\d+-[0-9a-f]{8}\.tmp$/.test(name)) await this.#remove(`${this.#file}.${name}`);
  }

  async #remove(file: string): Promise<boolean> {
    const removed = this.#disk.remove(file).then(() => true);
    return (await removed.catch(unlessMissing)) ?? false;
  }

  /** The ends of the names that begin with the state file's. */
  async #names(): Promise<string[]> {
    const prefix = `${path.basename(this.#file)}.`;
    const all = await this.#disk.list(this.#folder);
    return all.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  }

  #pathOf(first: number): string {
    return `${this.#file}.${first}.journal`;
  }

  #damaged(file: string, line: number, reason: Message): StateFileError {
    return new StateFileError(
      say`The state cannot be opened: line ${line} of ${file} is damaged: ${reason}. Nothing was changed. To go on without the changes from this line on, delete this line, all lines after it and the later journals. To start empty, move ${this.#file} and its journals away.`,
    );
  }
}

/** Rejects if the disk has little space: an entry would be accepted, and the next one refused again. */
async function probe(file: DiskFile): Promise<void> {
  await writeAll(file, PROBE, 0);
  await file.truncate(0);
  await file.sync();
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

import { randomUUID } from "node:crypto";
import path from "node:path";
import { LocalizedError } from "../../core/records/errors.ts";
import type { JournalEntry } from "../../core/state/ports.ts";
import { reasonOf, StateFileError } from "../errors.ts";
import { STATE, type Storage } from "../storage.ts";
import { LINE_BEGINNING, readLine } from "../text/journal-line.ts";
import { readLines } from "../text/lines.ts";
import { type Disk, type DiskFile, writeAll } from "./disk.ts";
import { type Message, say } from "../../text/message.ts";

/** Only the owner may read files with tokens and secrets. */
const NEW_FILE_MODE = 0o600;
/** More unsynced bytes than this would delay the log's syncs on the same disk. */
const UNSYNCED_BYTES = 1 << 21;
/** How much free space is required before entries are accepted again. */
const PROBE = Buffer.alloc(1 << 16, " ");

/** A file of the log, and the position of its first entry. */
interface LogFile {
  readonly path: string;
  readonly first: number;
}

/**
 * A state in a folder: the document `state` is the state file; all others, and the log, are files beside it whose names
 * begin with its name.
 *
 * The log is a file for each time that it was begun: by a start, by a compaction, after a failure. **A file counts up
 * to where the next one begins.** So neither an incomplete last line nor one whose append failed has to be removed,
 * which a failing disk might not allow: the next file says that they do not count.
 */
export class Folder implements Storage {
  readonly isMergedAtRest = true;
  readonly #disk: Disk;
  readonly #file: string;
  readonly #folder: string;
  readonly #report: (text: Message) => void;
  readonly #unlock: () => Promise<void>;
  /** Oldest first; the last one is being written to. */
  #log: LogFile[] = [];
  #open: DiskFile | undefined;
  /** The length of the open file up to its last durable line. */
  #length = 0;
  /** Why nothing may be written to the open file any more. */
  #failure: unknown;
  #hasStarted = false;

  /**
   * @param file the state file, without links in its path
   * @param parts.unlock releases the lock of the state when it is closed
   */
  constructor(
    disk: Disk,
    file: string,
    parts: { report?: (text: Message) => void; unlock?: () => Promise<void> } = {},
  ) {
    this.#disk = disk;
    this.#file = file;
    this.#folder = path.dirname(file);
    this.#report = parts.report ?? (() => undefined);
    this.#unlock = parts.unlock ?? (() => Promise.resolve());
  }

  placeOf(document: string): string {
    return document === STATE ? this.#file : `${this.#file}.${document}`;
  }

  async read(document: string): Promise<AsyncIterable<Buffer> | undefined> {
    const file = this.placeOf(document);
    const found = await this.#disk.stat(file).catch(unlessMissing);
    return found && this.#disk.read(file);
  }

  async write(
    document: string,
    pieces: Iterable<Buffer>,
    untilSafe: Promise<void> = Promise.resolve(),
  ): Promise<number> {
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

  async readLog(after: number, onEntry: (entry: JournalEntry) => void): Promise<number> {
    const found = await this.#names();
    this.#log = found
      .flatMap((name) => {
        const first = /^([1-9]\d{0,15})\.journal$/.exec(name)?.[1];
        return first === undefined ? [] : [this.#logFile(Number(first))];
      })
      .toSorted((one, other) => one.first - other.first);
    await this.#assertState();
    let next = after + 1;
    let bytes = 0;
    for (const [index, file] of this.#log.entries()) {
      const end = this.#log[index + 1]?.first ?? Number.POSITIVE_INFINITY;
      // The state has all of it.
      if (end <= next) continue;
      if (file.first > next) throw this.#damaged(file.path, 1, missing(next, file.first));
      bytes += await this.#readFile(file, end, (entry) => {
        if (entry.sequence < next) return;
        onEntry(entry);
        next = entry.sequence + 1;
      });
      if (end !== Number.POSITIVE_INFINITY && next < end)
        throw this.#damaged(this.#log[index + 1]?.path ?? "", 1, missing(next, end));
    }
    return bytes;
  }

  /** @returns its size in bytes */
  async #readFile(
    { path: file, first }: LogFile,
    end: number,
    onEntry: (entry: JournalEntry) => void,
  ): Promise<number> {
    let position = first;
    let bytes = 0;
    let broken: { readonly line: number; readonly reason: Message } | undefined;
    const onLine = (line: Buffer, number: number): void => {
      bytes += line.length + 1;
      if (position >= end) return;
      const entry = broken ?? readLine(line);
      if (!("reason" in entry)) {
        if (entry.sequence !== position)
          throw this.#damaged(file, number, missing(position, entry.sequence));
        position++;
        return onEntry(entry);
      }
      // Another line begins after it or in it, or it is as another version wrote it: no process died while it was written.
      if (line.includes(LINE_BEGINNING, broken ? 0 : 1) || ("isWhole" in entry && entry.isWhole))
        throw this.#damaged(file, broken?.line ?? number, entry.reason);
      broken ??= { line: number, reason: entry.reason };
    };
    let lines = 0;
    const rest = await readLines(this.#disk.read(file), (line, number) => {
      lines = number;
      onLine(line, number);
    });
    if (rest.length > 0 && !broken && position < end)
      broken = { line: lines + 1, reason: INCOMPLETE };
    if (broken && end !== Number.POSITIVE_INFINITY && position < end)
      throw this.#damaged(file, broken.line, broken.reason);
    if (broken && position < end)
      this.#report(
        say`Line ${broken.line} of ${file} is incomplete. It was never confirmed, and does not count.`,
      );
    return bytes + rest.length;
  }

  async startLog(position: number): Promise<void> {
    const isUnused = this.#open !== undefined && this.#length === 0 && this.#failure === undefined;
    if (isUnused && this.#log.at(-1)?.first === position + 1) return;
    if (!this.#hasStarted) await this.#startFirst();
    const file = this.#logFile(position + 1);
    // What it has was never acknowledged.
    await this.#remove(file.path);
    // Who may read the state may read its log; the owner always writes it.
    const state = await this.#disk.stat(this.#file).catch(() => undefined);
    const mode = ((state?.mode ?? 0) & 0o777) | NEW_FILE_MODE;
    const opened = await this.#disk.create(file.path, mode, true);
    try {
      if (this.#failure !== undefined) await probe(opened);
      await this.#disk.syncFolder(this.#folder);
    } catch (error) {
      await opened.close().catch(() => undefined);
      await this.#takeBack(file.path, error);
      throw error;
    }
    // Everything in it is durable, or counts no more.
    await this.#open?.close().catch(() => undefined);
    this.#log = [...this.#log.filter(({ first }) => first <= position), file];
    this.#open = opened;
    this.#length = 0;
    this.#failure = undefined;
    this.#hasStarted = true;
  }

  async append(lines: Buffer): Promise<void> {
    if (!this.#open || this.#failure !== undefined)
      throw this.#unwritable(this.#failure ?? new Error("it is closed"));
    try {
      await writeAll(this.#open, lines, this.#length);
      await this.#open.sync();
    } catch (error) {
      this.#failure = error;
      throw this.#unwritable(error);
    }
    this.#length += lines.length;
  }

  async dropLog(to: number): Promise<void> {
    for (;;) {
      const [oldest, next] = this.#log;
      if (!oldest || !next || next.first > to + 1) return;
      await this.#remove(oldest.path);
      this.#log.shift();
    }
  }

  async close(): Promise<void> {
    try {
      await this.#open?.close().catch(() => undefined);
      const [only, ...others] = this.#log;
      // The state has everything: no log is needed beside it.
      if (this.#open && this.#length === 0 && only && others.length === 0)
        await this.#disk.remove(only.path).catch(() => undefined);
      this.#open = undefined;
    } finally {
      await this.#unlock();
    }
  }

  /** Makes durable what a process that was killed may not have synced: new entries build on it. */
  async #startFirst(): Promise<void> {
    for (const { path: file } of this.#log) {
      const opened = await this.#disk.open(file);
      await opened.sync().finally(() => opened.close());
    }
    await this.#disk.syncFolder(this.#folder);
    for (const name of await this.#names())
      if (/^\d+-[0-9a-f]{8}\.tmp$/.test(name)) await this.#remove(`${this.#file}.${name}`);
  }

  /**
   * Removes a file that could not be begun. Unless that is certain, nothing more is written to the file before it: with
   * a loss of power the new one may still exist, and what followed would not count.
   */
  async #takeBack(file: string, reason: unknown): Promise<void> {
    try {
      await this.#remove(file);
      await this.#disk.syncFolder(this.#folder);
    } catch {
      this.#failure ??= reason;
    }
  }

  /** Refuses a log whose state file was deleted. */
  async #assertState(): Promise<void> {
    if (await this.#disk.stat(this.#file).catch(unlessMissing)) return;
    for (const { path: file } of this.#log)
      if ((await this.#disk.stat(file)).size > 0)
        throw new StateFileError(
          say`The state file ${this.#file} is missing, but its journal ${file} exists. Restore the file, or move the journal away too to start empty.`,
        );
  }

  async #remove(file: string): Promise<boolean> {
    return this.#disk.remove(file).then(
      () => true,
      (error: NodeJS.ErrnoException) => unlessMissing(error) ?? false,
    );
  }

  /** The ends of the names that begin with the state file's. */
  async #names(): Promise<string[]> {
    const prefix = `${path.basename(this.#file)}.`;
    const all = await this.#disk.list(this.#folder);
    return all.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  }

  #logFile(first: number): LogFile {
    return { path: `${this.#file}.${first}.journal`, first };
  }

  #damaged(file: string, line: number, reason: Message): StateFileError {
    const advice =
      line === 1
        ? say`To go on without the changes of this journal, delete it and the later ones.`
        : say`To go on without the changes from this line on, delete this line, all lines after it and the later journals.`;
    return new StateFileError(
      say`The state cannot be opened: line ${line} of ${file} is damaged: ${reason}. Nothing was changed. ${advice} To start empty, move ${this.#file} and its journals away.`,
    );
  }

  #unwritable(error: unknown): LocalizedError {
    const reason = reasonOf(error);
    return new LocalizedError(
      say`The journal of the state file ${this.#file} cannot be written: ${reason}. If the disk is full, free some space.`,
    );
  }
}

/** Writes and syncs. Each piece is produced after the one before it is written, so that requests can be handled in between. */
async function writePieces(file: DiskFile, pieces: Iterable<Buffer>): Promise<number> {
  let position = 0;
  let synced = 0;
  for (const piece of pieces) {
    await writeAll(file, piece, position);
    position += piece.length;
    if (position - synced < UNSYNCED_BYTES) continue;
    await file.sync();
    synced = position;
  }
  await file.sync();
  return position;
}

/** Rejects if the disk has little space: an entry would be accepted, and the next one refused again. */
async function probe(file: DiskFile): Promise<void> {
  await writeAll(file, PROBE, 0);
  await file.truncate(0);
  await file.sync();
}

const INCOMPLETE = say`it is incomplete`;

function missing(expected: number, found: number): Message {
  return say`it is commit ${found}, but commit ${expected} was expected`;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

import type { Change } from "../core/state/records.ts";
import { setImmediate } from "../platform/real-time.ts";
import { type Disk, type DiskFile, writeAll } from "./disk.ts";
import { JournalLines } from "./journal-line.ts";
import type { JournalFile, StateNames } from "./names.ts";

/** `always`: an answer waits until its change outlasts a loss of power. `none`: until it outlasts the process. */
export type Durability = "always" | "none";

/** Commits that are written, synced and answered together. */
class Batch {
  readonly lines: JournalLines;
  readonly undos: (() => void)[] = [];
  readonly written: Promise<void>;
  resolve!: () => void;
  reject!: (error: Error) => void;

  constructor(lines: JournalLines) {
    this.lines = lines;
    this.written = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.written.catch(() => undefined);
  }
}

/**
 * The append-only journal: one line a commit. While one batch of lines is written and synced, the
 * next one forms; all that stand in a batch are answered together.
 */
export class Journal {
  readonly #disk: Disk;
  readonly #names: StateNames;
  readonly #mode: number;
  readonly #durability: Durability;
  readonly #onWritten: () => void;
  readonly #onFailure: (error: Error) => Error;
  readonly #makeRoom: () => Promise<boolean>;
  #file: DiskFile | undefined;
  /** All files that are part of the state, the one that is written to last. */
  #files: JournalFile[];
  /** The length of the last file, up to its last good line. */
  #length = 0;
  #bytes: number;
  #sequence: number;
  #forming: Batch;
  #writing: Batch | undefined;
  #spare = new JournalLines();
  #running: Promise<void> | undefined;
  #switching: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  #refusal: Error | undefined;
  /** Whether the last file may be written to after a failure: what did not fit was cut off, and no sync of it has failed. */
  #isSound = true;

  /**
   * @param sequence the number of the last commit there is
   * @param older files of the journal that are still part of the state, and their size
   * @param onWritten is called after each batch
   * @param onFailure is called when lines could not be kept and what they changed was put back;
   * it returns the error for the callers that wait for them. From then on nothing is written, until `resume`
   * @param makeRoom is called when the disk is full; its answer is whether something was given up for the journal
   */
  constructor(parts: {
    disk: Disk;
    names: StateNames;
    mode: number;
    durability: Durability;
    sequence: number;
    older: readonly JournalFile[];
    olderBytes: number;
    onWritten: () => void;
    onFailure: (error: Error) => Error;
    makeRoom: () => Promise<boolean>;
  }) {
    this.#disk = parts.disk;
    this.#names = parts.names;
    this.#mode = parts.mode;
    this.#durability = parts.durability;
    this.#sequence = parts.sequence;
    this.#files = [...parts.older];
    this.#bytes = parts.olderBytes;
    this.#onWritten = parts.onWritten;
    this.#onFailure = parts.onFailure;
    this.#makeRoom = parts.makeRoom;
    this.#forming = new Batch(new JournalLines());
  }

  /** The number of the last commit. */
  get sequence(): number {
    return this.#sequence;
  }

  /** How much a start would have to read beside the state file. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param undo puts back what the change replaced, should it turn out that it cannot be kept */
  append(change: Change, lastEventNumber: number, undo: () => void): void {
    this.#forming.lines.add({ sequence: this.#sequence + 1, lastEventNumber, change });
    this.#forming.undos.push(undo);
    this.#sequence++;
    this.#run();
  }

  /** Resolves when all that was appended is kept; rejects where some of it could not be, and until `resume`. */
  kept(): Promise<void> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    if (this.#forming.lines.count > 0) return this.#forming.written;
    return this.#writing?.written ?? NOTHING_TO_WAIT_FOR;
  }

  /** From here on lines go to a new file, so that those before can be removed once they are not needed. Comes before the first line. */
  beginFile(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#switching = { resolve, reject };
      this.#run();
    });
  }

  /** Whether the file that is written to still has its name. */
  async isInPlace(): Promise<boolean> {
    const last = this.#files.at(-1);
    return last !== undefined && (await this.#disk.stat(last.path).then(isTrue, isFalse));
  }

  /** Removes all files but the last. */
  async removeOlder(): Promise<void> {
    while (this.#files.length > 1) {
      const [oldest] = this.#files as [JournalFile];
      await this.#disk.remove(oldest.path).catch(unlessMissing);
      this.#files.shift();
    }
    this.#bytes = this.#length;
  }

  /** After a failure: resolves when nothing is being written or cut off any more, with whether `resume` can go on in the same file. */
  async canGoOn(): Promise<boolean> {
    await this.#running;
    return this.#isSound;
  }

  /**
   * Goes on in a new file after a failure; the state file must hold all that the files before it do.
   * A file whose sync has failed is never synced again: the system may report success for lost bytes.
   */
  async beginAnew(): Promise<void> {
    await this.#continueIn(this.#names.journal(this.#sequence + 1));
    this.#isSound = true;
    await this.removeOlder();
  }

  /** Writes again what is appended from now on. */
  resume(): void {
    this.#refusal = undefined;
  }

  /**
   * Ends the writing.
   * @param isNeeded whether there is anything in it that the state file does not hold; if not its files
   * are removed, where the disk lets it, and otherwise by the next start.
   */
  async close(isNeeded: boolean): Promise<void> {
    await this.#running;
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
    const unneeded = isNeeded ? [] : this.#files.splice(0);
    for (const { path } of unneeded) await this.#disk.remove(path).catch(() => undefined);
  }

  #run(): void {
    this.#running ??= endOfTurn().then(() => this.#work());
  }

  async #work(): Promise<void> {
    while (!this.#refusal) {
      if (this.#switching) await this.#switch(this.#switching);
      else if (this.#forming.lines.count > 0) await this.#write();
      else break;
    }
    if (this.#refusal) {
      this.#switching?.reject(this.#refusal);
      this.#switching = undefined;
    }
    this.#running = undefined;
  }

  async #write(): Promise<void> {
    const batch = this.#forming;
    this.#writing = batch;
    this.#forming = new Batch(this.#spare);
    let isWritten = false;
    try {
      const { bytes } = batch.lines;
      await this.#writeOrMakeRoom(bytes);
      isWritten = true;
      if (this.#durability === "always") await this.#open.sync();
      this.#length += bytes.length;
      this.#bytes += bytes.length;
    } catch (error) {
      await this.#fail(error as Error, !isWritten && isFull(error as Error));
      return;
    }
    this.#writing = undefined;
    batch.lines.clear();
    this.#spare = batch.lines;
    batch.resolve();
    this.#onWritten();
  }

  async #writeOrMakeRoom(bytes: Buffer): Promise<void> {
    try {
      await writeAll(this.#open, bytes, this.#length);
    } catch (error) {
      if (!isFull(error as Error) || !(await this.#makeRoom())) throw error;
      await writeAll(this.#open, bytes, this.#length);
    }
  }

  async #switch(switching: { resolve: () => void; reject: (error: Error) => void }): Promise<void> {
    this.#switching = undefined;
    const next = this.#names.journal(this.#sequence - this.#forming.lines.count + 1);
    try {
      // An empty one is as good as new.
      if (next.first !== this.#files.at(-1)?.first) await this.#continueIn(next);
      switching.resolve();
    } catch (error) {
      switching.reject(error as Error);
    }
  }

  async #continueIn(next: JournalFile): Promise<void> {
    // What was answered without waiting for the disk is not to have gaps either, should power be lost.
    if (this.#durability === "none" && !this.#refusal) await this.#file?.sync();
    const file = await this.#create(next.path);
    try {
      await this.#disk.syncFolder(this.#names.folder);
    } catch (error) {
      await file.close().catch(() => undefined);
      await this.#disk.remove(next.path).catch(() => undefined);
      throw error;
    }
    // What it holds is written and synced; nothing is lost with its descriptor.
    await this.#file?.close().catch(() => undefined);
    this.#file = file;
    this.#files.push(next);
    this.#length = 0;
  }

  /** One by that name is what an earlier try has left: no line was ever written to it. */
  async #create(path: string): Promise<DiskFile> {
    try {
      return await this.#disk.create(path, this.#mode);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if ((await this.#disk.stat(path)).size > 0) throw error;
      await this.#disk.remove(path);
      return await this.#disk.create(path, this.#mode);
    }
  }

  /**
   * Nothing that could not be kept is known any more, neither in memory nor, as far as the disk lets it, in the file.
   * @param isOnlyFull whether the file is as good as before, once what did not fit is cut off
   */
  async #fail(error: Error, isOnlyFull: boolean): Promise<void> {
    // Whoever asks from now on is refused, whatever this call is still busy with.
    this.#refusal = error;
    const lost = [this.#writing, this.#forming].filter((batch) => batch !== undefined);
    for (const undo of lost.flatMap(({ undos }) => undos).toReversed()) undo();
    const refusal = this.#onFailure(error);
    this.#refusal = refusal;
    this.#isSound = false;
    try {
      await this.#open.truncate(this.#length);
      await this.#open.sync();
      // The next commit takes the number of the first that was cut off: a gap would look like a missing line.
      if (isOnlyFull) {
        for (const { lines } of lost) this.#sequence -= lines.count;
        this.#isSound = true;
      }
    } catch {
      // A start cuts off what is not finished; a line that is finished was never acknowledged, and may stay.
    }
    this.#writing = undefined;
    this.#forming = new Batch(new JournalLines());
    this.#spare = new JournalLines();
    for (const batch of lost) batch.reject(refusal);
  }

  get #open(): DiskFile {
    if (!this.#file) throw new Error("The journal is closed.");
    return this.#file;
  }
}

/** No space, or no more of it for this user. */
const FULL = new Set(["ENOSPC", "EDQUOT"]);

function isFull({ code = "" }: NodeJS.ErrnoException): boolean {
  return FULL.has(code);
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;

const NOTHING_TO_WAIT_FOR = Promise.resolve();

/** Lines of one turn of the event loop are written together. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

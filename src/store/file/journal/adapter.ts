import type { Adapter } from "lowdb";
import { LocalizedError } from "../../../core/records/errors.ts";
import type { State } from "../../../core/state/ports.ts";
import { Records } from "../../../core/state/records.ts";
import { type Disk, KIND_OF_FILE, REGULAR_FILE } from "../disk/disk.ts";
import { type Damage, notAState, unreadable } from "../../errors.ts";
import { STORE_LIMITS, type StoreLimits } from "../../format/limits.ts";
import { readBlocks } from "../../format/lines.ts";
import type { StateNames } from "../disk/names.ts";
import { NEW_FILE_MODE, writeFile } from "../disk/write-file.ts";
import { fillState } from "../../format/fill-state.ts";
import { HeaderError, UnknownLayout } from "../../format/header.ts";
import { StateReader } from "../../format/state-reader.ts";
import { piecesOf } from "../../format/state-writer.ts";
import { readWholeState } from "../../format/whole-state.ts";
import { say } from "../../../text/message.ts";

/** How much free space is required before changes are accepted again. */
const PROBE_BYTES = 1 << 16;

/** lowdb's adapter for the state file: reads and writes it as a stream, and replaces it atomically. */
export class StateAdapter implements Adapter<State> {
  readonly #disk: Disk;
  readonly #names: StateNames;
  readonly #limits: StoreLimits;
  /** An empty state, which `read` fills. */
  empty: State = { records: new Records(), sequence: 0 };
  /** The write that is under way. */
  #writing: CancelableWrite | undefined;
  /** Lines that cannot be read. A state with damages must not be overwritten. */
  readonly damages: Damage[] = [];
  bytes = 0;
  /** The last commit in the state file. */
  sequence = 0;
  /** Resolves when the journal has made all pending commits durable. Only then does the new file replace the old one. */
  untilDurable: () => Promise<void> = () => Promise.resolve();

  constructor(disk: Disk, names: StateNames, limits = STORE_LIMITS) {
    this.#limits = limits;
    this.#disk = disk;
    this.#names = names;
  }

  /**
   * @returns null if the file does not exist.
   * @throws StateFileError if it is not a state of this version.
   */
  async read(): Promise<State | null> {
    const { file } = this.#names;
    try {
      const state = this.empty;
      await this.#readInto(state);
      this.bytes = (await this.#disk.stat(file)).size;
      this.sequence = state.sequence;
      return state;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error instanceof HeaderError ? notAState(file, error) : unreadable(file, error);
    }
  }

  /** Writes the state as it is at the moment of the call. Later changes are in the journal. */
  write(state: State): Promise<void> {
    const writing = new CancelableWrite();
    this.#writing = writing;
    writing.ended = this.#write(state, writing).finally(() => {
      this.#writing = undefined;
    });
    return writing.ended;
  }

  /**
   * Cancels a write that is under way, to free its space for the journal, which already has all of the changes.
   * @returns whether a write was under way.
   */
  async giveWay(): Promise<boolean> {
    if (!this.#writing) return false;
    this.#writing.cancel(new LocalizedError(MADE_ROOM));
    await this.#writing.ended.catch(() => undefined);
    return true;
  }

  /** Rejects unless the disk accepts a file of a moderate size. */
  async probe(): Promise<void> {
    const temporary = this.#names.temporary();
    try {
      await writeFile(this.#disk, temporary, NEW_FILE_MODE, [Buffer.alloc(PROBE_BYTES, " ")]);
    } finally {
      await this.#disk.remove(temporary).catch(() => undefined);
    }
  }

  async #write(state: State, writing: CancelableWrite): Promise<void> {
    const { sequence } = state;
    const pieces = piecesOf(state);
    const { file, folder } = this.#names;
    const mode = await this.#mode();
    const temporary = this.#names.temporary();
    try {
      const bytes = await writeFile(this.#disk, temporary, mode, writing.unlessCanceled(pieces));
      await Promise.race([this.untilDurable(), writing.canceled]);
      await this.#disk.rename(temporary, file);
      await this.#disk.syncFolder(folder);
      this.bytes = bytes;
      this.sequence = sequence;
    } catch (error) {
      await this.#disk.remove(temporary).catch(() => undefined);
      throw error;
    }
  }

  /** The mode of the file, which the file that replaces it gets too. */
  async #mode(): Promise<number> {
    try {
      return (await this.#disk.stat(this.#names.file)).mode & 0o777;
    } catch {
      return NEW_FILE_MODE;
    }
  }

  async #readInto(state: State): Promise<void> {
    const { file } = this.#names;
    const kind = (await this.#disk.stat(file)).mode & KIND_OF_FILE;
    if (kind !== 0 && kind !== REGULAR_FILE) throw new HeaderError(NOT_REGULAR);
    const sink = fillState(state, (line, reason) => this.damages.push({ file, line, reason }));
    try {
      const reader = new StateReader(sink);
      reader.end(
        await readBlocks(
          this.#disk.read(file),
          (block) => reader.read(block),
          this.#limits.textBytes,
        ),
      );
    } catch (error) {
      if (!(error instanceof UnknownLayout)) throw error;
      readWholeState(await this.#readWhole(), sink);
    }
  }

  async #readWhole(): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of this.#disk.read(this.#names.file)) {
      pieces.push(piece);
      size += piece.length;
      if (size > this.#limits.textBytes) throw new HeaderError(TOO_LARGE);
    }
    return Buffer.concat(pieces);
  }
}

/** A write that can be canceled until the file is renamed. */
class CancelableWrite {
  /** Rejects when the write is canceled; never resolves. */
  readonly canceled: Promise<never>;
  ended: Promise<void> = Promise.resolve();
  cancel!: (reason: Error) => void;
  #reason: Error | undefined;

  constructor() {
    this.canceled = new Promise((_resolve, reject) => {
      this.cancel = (reason) => {
        this.#reason = reason;
        reject(reason);
      };
    });
    this.canceled.catch(() => undefined);
  }

  *unlessCanceled(pieces: Iterable<Buffer>): Generator<Buffer> {
    for (const piece of pieces) {
      if (this.#reason) throw this.#reason;
      yield piece;
    }
  }
}

const MADE_ROOM = say`the disk is full, and the journal needs the space`;
const NOT_REGULAR = say`it is not a regular file`;
const TOO_LARGE = say`it does not have one record per line and is too large to be read at once`;

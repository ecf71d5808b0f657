import type { Adapter } from "lowdb";
import { LocalizedError } from "../core/errors.ts";
import type { LocalizedText } from "../core/localized-text.ts";
import type { State } from "../core/ports.ts";
import { Records } from "../core/state/records.ts";
import { type Disk, writeAll } from "./disk.ts";
import { type Damage, notAState, type RecordList, unreadable } from "./errors.ts";
import { STORE_LIMITS, type StoreLimits } from "./limits.ts";
import { readBlocks } from "./lines.ts";
import type { StateNames } from "./names.ts";
import { FORMAT, VERSION } from "./schema.ts";
import {
  HeaderError,
  readWholeState,
  StateReader,
  type StateSink,
  UnknownLayout,
  writeState,
} from "./state-layout.ts";

/** How much may wait to be synced: a larger heap would hold up the journal's syncs, on the same disk. */
const UNSYNCED_BYTES = 1 << 21;
/** How much space there must be before changes are accepted again. */
const PROBE_BYTES = 1 << 16;
/** Only its owner reads what holds tokens and the secret. */
export const NEW_FILE_MODE = 0o600;
export const KIND_OF_FILE = 0o170000;
export const REGULAR_FILE = 0o100000;

/** lowdb's way to the state file: streamed in and out, and in place only when it is whole. */
export class StateAdapter implements Adapter<State> {
  readonly #disk: Disk;
  readonly #names: StateNames;
  readonly #keepDeliveries: number;
  readonly #limits: StoreLimits;
  /** The write that is under way. */
  #writing: Writing | undefined;
  /** Lines that could not be read; a state that has some is not to be written over. */
  readonly damages: Damage[] = [];
  /** How the file differs from what was written, in a clause; undefined where it does not, or does not say. */
  changed: LocalizedText | undefined;
  /** Records that stand in the file more than once; the last of them counts. */
  readonly twice: { readonly list: RecordList; readonly id: string }[] = [];
  /** The size of the state file, and the last commit that it holds, once it was read or written. */
  bytes = 0;
  sequence = 0;
  /** Resolves when a restart would find all that is being written without this file as well. */
  untilDurable: () => Promise<void> = () => Promise.resolve();

  constructor(disk: Disk, names: StateNames, keepDeliveries: number, limits = STORE_LIMITS) {
    this.#limits = limits;
    this.#disk = disk;
    this.#names = names;
    this.#keepDeliveries = keepDeliveries;
  }

  /**
   * @returns null where there is no file.
   * @throws StateFileError where it is no state of this version.
   */
  async read(): Promise<State | null> {
    const { file } = this.#names;
    try {
      const state: State = { records: new Records(this.#keepDeliveries), sequence: 0 };
      await this.#readInto(state);
      this.bytes = (await this.#disk.stat(file)).size;
      this.sequence = state.sequence;
      return state;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error instanceof HeaderError ? notAState(file, error) : unreadable(file, error);
    }
  }

  /** Writes the document as it is at the moment of the call; what changes meanwhile is in the journal. */
  write(state: State): Promise<void> {
    const writing = new Writing();
    this.#writing = writing;
    writing.ended = this.#write(state, writing).finally(() => {
      this.#writing = undefined;
    });
    return writing.ended;
  }

  /**
   * Gives up a write that is under way, and the room that it takes: the journal, which needs it, has all that
   * the file would have.
   * @returns whether there was one.
   */
  async giveWay(): Promise<boolean> {
    if (!this.#writing) return false;
    this.#writing.giveUp(new LocalizedError(MADE_ROOM));
    await this.#writing.ended.catch(() => undefined);
    return true;
  }

  /** Writes a file, syncs and removes it: rejects unless the disk takes more than a few bytes. */
  async probe(): Promise<void> {
    const temporary = this.#names.temporary();
    try {
      await writeNew(this.#disk, temporary, NEW_FILE_MODE, [" ".repeat(PROBE_BYTES)]);
    } finally {
      await this.#disk.remove(temporary).catch(() => undefined);
    }
  }

  async #write({ records, sequence }: State, writing: Writing): Promise<void> {
    const { clock, identity, ...lists } = records.toChange();
    const { lastEventNumber, lastFaultOrdinals } = records;
    const header = { format: FORMAT, version: VERSION, sequence, lastEventNumber } as const;
    const { file, folder } = this.#names;
    const mode = await this.#mode();
    const temporary = this.#names.temporary();
    try {
      const text = writeState(
        {
          ...header,
          ...(lastFaultOrdinals.length > 0 && { lastFaultOrdinals }),
          ...(clock && { clock }),
          ...(identity && { identity }),
        },
        lists,
      );
      const bytes = await writeNew(this.#disk, temporary, mode, writing.unlessGivenUp(text));
      await Promise.race([this.untilDurable(), writing.givenUp]);
      await this.#disk.rename(temporary, file);
      await this.#disk.syncFolder(folder);
      this.bytes = bytes;
      this.sequence = sequence;
    } catch (error) {
      await this.#disk.remove(temporary).catch(() => undefined);
      throw error;
    }
  }

  /** The permissions of the file, which a new one in its place and the journal take over. */
  async #mode(): Promise<number> {
    try {
      return (await this.#disk.stat(this.#names.file)).mode & 0o777;
    } catch {
      return NEW_FILE_MODE;
    }
  }

  async #readInto(state: State): Promise<void> {
    const { file } = this.#names;
    const { records } = state;
    const kind = (await this.#disk.stat(file)).mode & KIND_OF_FILE;
    if (kind !== 0 && kind !== REGULAR_FILE) throw new HeaderError(NOT_REGULAR);
    const sink: StateSink = {
      header: ({ sequence, lastEventNumber, lastFaultOrdinals, clock, identity, snapshot }) => {
        if (snapshot) throw new HeaderError(IS_SNAPSHOT);
        state.sequence = sequence;
        records.continueAfter(lastEventNumber);
        records.countFaultsAfter(lastFaultOrdinals ?? []);
        records.apply({ ...(clock && { clock }), ...(identity && { identity }) });
      },
      rows: (list, rows) => {
        const own = isRecordList(list) ? list : undefined;
        if (own) this.#noteTwice(own, rows as readonly { readonly id: string }[], records);
        records.apply({ [list]: rows });
      },
      changed: (how) => {
        this.changed = how;
      },
      damage: (line, reason) => this.damages.push({ file, line, reason }),
    };
    try {
      const reader = new StateReader(sink);
      reader.end(
        await readBlocks(
          this.#disk.read(file),
          (block, number) => reader.read(block, number),
          this.#limits.textBytes,
        ),
      );
    } catch (error) {
      if (!(error instanceof UnknownLayout)) throw error;
      readWholeState(await this.#readWhole(), sink);
    }
  }

  #noteTwice(list: RecordList, rows: readonly { readonly id: string }[], records: Records): void {
    const ids = new Set<string>();
    for (const { id } of rows) {
      if (ids.has(id) || records[list].get(id)) this.twice.push({ list, id });
      ids.add(id);
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

const MADE_ROOM = {
  en: "the disk is full, and the journal needs the space",
  pt: "o disco está cheio, e o journal precisa do espaço",
};
const NOT_REGULAR = { en: "it is not a regular file", pt: "não é um arquivo comum" };
const IS_SNAPSHOT = {
  en: "it is a snapshot, not a state file",
  pt: "é um snapshot, não um arquivo de estado",
};
const TOO_LARGE = {
  en: "it does not have one record per line and is too large to be read at once",
  pt: "não tem um registro por linha e é grande demais para ser lido de uma vez",
};

function isRecordList(list: string): list is RecordList {
  return list === "payins" || list === "payouts" || list === "deliveries";
}

/** One write of the file, which can be given up until it has its name. */
class Writing {
  /** Only ever rejects. */
  readonly givenUp: Promise<never>;
  ended: Promise<void> = Promise.resolve();
  giveUp!: (reason: Error) => void;
  #reason: Error | undefined;

  constructor() {
    this.givenUp = new Promise((_resolve, reject) => {
      this.giveUp = (reason) => {
        this.#reason = reason;
        reject(reason);
      };
    });
    this.givenUp.catch(() => undefined);
  }

  *unlessGivenUp(pieces: Iterable<string>): Generator<string> {
    for (const piece of pieces) {
      if (this.#reason) throw this.#reason;
      yield piece;
    }
  }
}

/** Each piece is made when the one before it is written: in between, requests are answered. @returns how many bytes. */
export async function writeNew(
  disk: Disk,
  path: string,
  mode: number,
  text: Iterable<string>,
): Promise<number> {
  const file = await disk.create(path, mode);
  try {
    let position = 0;
    let synced = 0;
    for (const piece of text) {
      const bytes = Buffer.from(piece);
      await writeAll(file, bytes, position);
      position += bytes.length;
      if (position - synced < UNSYNCED_BYTES) continue;
      await file.sync();
      synced = position;
    }
    await file.sync();
    return position;
  } finally {
    await file.close();
  }
}

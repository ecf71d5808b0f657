import path from "node:path";
import type { Disk, DiskFile } from "../../src/store/file/disk.ts";
import { randomFrom } from "./core.ts";

export type CallName = keyof Disk | keyof DiskFile;

/** One call to the disk; the first is number 1. */
export interface DiskCall {
  readonly name: CallName;
  readonly path: string;
}

/** The process ends at a call: before it has any effect, after it has had it, or, of a write, in the middle. */
export interface Death {
  readonly kind: "death";
  readonly at: number;
  readonly moment: "before" | "during" | "after";
  /** How much of a write is done by then, from 0 to 1. */
  readonly share?: number;
}

/** A call fails. */
export interface Refusal {
  readonly kind: "refusal";
  readonly at: number;
  readonly code: string;
  /** Whether all calls after it fail as well. */
  readonly isLasting?: boolean;
  /** Only these fail. Default: all calls. */
  readonly only?: readonly CallName[];
  /** Only those about such a file fail. */
  readonly where?: RegExp;
}

/** A write takes half of its bytes, and the next one to that file the rest; with a code, that one fails. */
export interface ShortWrite {
  readonly kind: "short write";
  readonly at: number;
  readonly code?: string;
  readonly isLasting?: boolean;
}

export type Failure = Refusal | ShortWrite;
export type Mishap = Death | Failure;

/** Decides what outlasts a loss of power: numbers from 0, for the least there can be, up to 1. */
export type Luck = () => number;
export const NOTHING_MORE: Luck = () => 0;
/** All of it but the oldest changes to names, on a file system that keeps no order among them. */
export function allButOldestNames(count: number): Luck {
  let draws = 0;
  return () => {
    const place = draws++ - DRAWS_BEFORE_NAMES;
    return place >= 0 && place < count ? 0 : 0.999_999;
  };
}

/** Calls that change the names in a folder, which one that has become read-only refuses. */
export const NAME_CALLS: readonly CallName[] = ["create", "rename", "remove", "syncFolder"];

/** Whether there is an order, and how much of it is kept. */
const DRAWS_BEFORE_NAMES = 2;
/** How long a call takes at most: what is called first is not always done first. */
const MAX_TURNS = 2;
/** Small, so that a file is read in several pieces. */
const PIECE_BYTES = 4096;

const FOLDER = "folder";
type Entry = Content | typeof FOLDER;

type Edit =
  | { readonly kind: "write"; readonly position: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly length: number };

/** What becomes of names: `from` goes, `to` is given to `entry`. */
interface NameEdit {
  readonly folder: string;
  readonly from?: string;
  readonly to?: string;
  readonly entry?: Entry;
}

/** A file's bytes, whatever its name: as processes see them, and as a loss of power would leave them. */
class Content {
  readonly mode: number;
  seen = Buffer.alloc(0);
  durable = Buffer.alloc(0);
  /** What was done to it since it was synced, oldest first. */
  unsynced: Edit[] = [];
  readonly #forgotten: Edit[] = [];

  constructor(mode: number) {
    this.mode = mode;
  }

  edit(edit: Edit): void {
    this.seen = edited(this.seen, edit);
    this.unsynced.push(edit);
  }

  /** What was done after the sync began may not be part of it. */
  sync(begun: readonly Edit[]): void {
    const isSynced = new Set(begun);
    for (const edit of this.unsynced.filter((one) => isSynced.has(one)))
      this.durable = edited(this.durable, edit);
    this.unsynced = this.unsynced.filter((one) => !isSynced.has(one));
  }

  /** A sync that fails marks what it was to write as written: no later one of this process writes it. */
  failSync(begun: readonly Edit[]): void {
    const isLost = new Set<Edit>(begun.filter((edit) => edit.kind === "write"));
    this.#forgotten.push(...this.unsynced.filter((one) => isLost.has(one)));
    this.unsynced = this.unsynced.filter((one) => !isLost.has(one));
  }

  copy(): Content {
    const copy = new Content(this.mode);
    copy.seen = this.seen;
    copy.durable = this.durable;
    copy.unsynced = [...this.#forgotten, ...this.unsynced];
    return copy;
  }

  /** The same file after a loss of power: of what was not synced, a beginning. */
  survivor(luck: Luck): Content {
    let left = Math.floor(luck() * (sum(this.unsynced.map(sizeOf)) + 1));
    let bytes = this.durable;
    for (const edit of this.unsynced) {
      const size = sizeOf(edit);
      if (left >= size) bytes = edited(bytes, edit);
      else if (edit.kind === "write" && left > 0)
        bytes = edited(bytes, { ...edit, bytes: edit.bytes.subarray(0, left) });
      left = Math.max(0, left - size);
      if (left === 0) break;
    }
    const survivor = new Content(this.mode);
    survivor.seen = bytes;
    survivor.durable = bytes;
    return survivor;
  }
}

/**
 * A file system in memory that remembers what would outlast a loss of power: bytes that were synced,
 * and names whose folder was. It keeps to the letter of POSIX and to nothing beyond it.
 *
 * One disk is what one process has of it. When that process has died, or its power is lost, the
 * next one's disk is made of what is left.
 */
export class SimulatedDisk implements Disk {
  /** Every call that was begun, in order. */
  readonly calls: DiskCall[] = [];
  /** The process has died; from then on no call ever ends. */
  isDead = false;
  /** How many calls have begun and not ended. */
  callsUnderWay = 0;
  /** The call at which the mishap happened. */
  struck: DiskCall | undefined;
  /** How many files are open now. */
  openFiles = 0;
  /** Lets a call take effect after a while. */
  later = (act: () => void, _name: CallName, _path: string): void =>
    afterTurns(1 + Math.floor(this.#random() * MAX_TURNS), act);
  #mishap: Mishap | undefined;
  /** The file of which a write was cut short. */
  #shortOf: string | undefined;
  #seen: Map<string, Entry>;
  #durable: Map<string, Entry>;
  /** What was done to names and not synced, oldest first. */
  #unsynced: NameEdit[] = [];
  readonly #seed: number;
  readonly #random: () => number;

  /** @param folders that are there from the beginning */
  constructor(folders: readonly string[], mishap?: Mishap, seed = 1) {
    const entries = folders.map((folder): [string, Entry] => [folder, FOLDER]);
    this.#seen = new Map(entries);
    this.#durable = new Map(entries);
    this.#mishap = mishap;
    this.#seed = seed;
    this.#random = randomFrom(seed);
  }

  /** The machine as the next process would find it if this one were killed now: all is seen, synced or not. */
  afterKill(mishap?: Mishap): SimulatedDisk {
    const next = new SimulatedDisk([], mishap, this.#seed);
    const copyOf = copier((content) => content.copy());
    next.#seen = new Map([...this.#seen].map(([name, entry]) => [name, copyOf(entry)]));
    next.#durable = new Map([...this.#durable].map(([name, entry]) => [name, copyOf(entry)]));
    next.#unsynced = this.#unsynced.map((edit) =>
      edit.entry ? { ...edit, entry: copyOf(edit.entry) } : edit,
    );
    return next;
  }

  /** The machine as it would be found if its power were lost now: what was synced, and with luck some of the rest. */
  afterPowerLoss(luck: Luck, mishap?: Mishap): SimulatedDisk {
    const next = new SimulatedDisk([], mishap, this.#seed);
    const survivorOf = copier((content) => content.survivor(luck));
    const names = new Map(this.#durable);
    // Some file systems keep the order of what is done to names, others do not.
    const isOrdered = luck() < 0.5;
    const count = Math.floor(luck() * (this.#unsynced.length + 1));
    for (const [index, edit] of this.#unsynced.entries())
      if (isOrdered ? index < count : luck() >= 0.5) rename(names, edit);
    for (const [name, entry] of names)
      if (isReachable(names, name)) next.#seen.set(name, survivorOf(entry));
    next.#durable = new Map(next.#seen);
    return next;
  }

  /** Whether names were given, changed or removed that a loss of power could bring back or take away. */
  get hasUnsyncedNames(): boolean {
    return this.#unsynced.length > 0;
  }

  /** Whether anything was written to a file that a loss of power could take away. */
  get hasUnsyncedBytes(): boolean {
    return [...this.#seen.values()].some((entry) => entry !== FOLDER && entry.unsynced.length > 0);
  }

  /** From now on something else goes wrong. */
  strike(mishap: Mishap): void {
    this.#mishap = mishap;
    this.struck = undefined;
    this.#shortOf = undefined;
  }

  /** What is wrong with the disk ends. */
  mend(): void {
    this.#mishap = undefined;
  }

  /** A look that is no call: the names in a folder. */
  namesIn(folder: string): string[] {
    return [...this.#seen.keys()]
      .filter((name) => path.dirname(name) === folder)
      .map((name) => path.basename(name))
      .toSorted();
  }

  /** A look that is no call: the text of a file. */
  textOf(file: string): string {
    return this.#fileAt("read", file).seen.toString();
  }

  list(folder: string): Promise<readonly string[]> {
    return this.#call("list", folder, () => {
      this.#expectFolder("list", folder);
      return this.namesIn(folder);
    });
  }

  stat(file: string): Promise<{ readonly size: number; readonly mode: number }> {
    return this.#call("stat", file, () => {
      const { seen, mode } = this.#fileAt("stat", file);
      return { size: seen.length, mode };
    });
  }

  async *read(file: string): AsyncIterable<Buffer> {
    for (let position = 0; ;) {
      const start = position;
      const piece = await this.#call("read", file, () =>
        this.#fileAt("read", file).seen.subarray(start, start + PIECE_BYTES),
      );
      if (piece.length === 0) return;
      position += piece.length;
      yield piece;
    }
  }

  create(file: string, mode: number): Promise<DiskFile> {
    return this.#call("create", file, () => {
      const folder = path.dirname(file);
      this.#expectFolder("create", folder);
      if (this.#seen.has(file)) throw failure("EEXIST", "create", file);
      const content = new Content(mode);
      this.#rename({ folder, to: file, entry: content });
      return this.#handle(file, content);
    });
  }

  open(file: string): Promise<DiskFile> {
    return this.#call("open", file, () => this.#handle(file, this.#fileAt("open", file)));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#call("rename", from, () => {
      const entry = this.#fileAt("rename", from);
      this.#rename({ folder: path.dirname(to), from, to, entry });
    });
  }

  remove(file: string): Promise<void> {
    return this.#call("remove", file, () => {
      this.#fileAt("remove", file);
      this.#rename({ folder: path.dirname(file), from: file });
    });
  }

  syncFolder(folder: string): Promise<void> {
    const begun = new Set(this.#unsynced.filter((edit) => edit.folder === folder));
    return this.#call("syncFolder", folder, () => {
      this.#expectFolder("syncFolder", folder);
      for (const edit of this.#unsynced.filter((one) => begun.has(one)))
        rename(this.#durable, edit);
      this.#unsynced = this.#unsynced.filter((one) => !begun.has(one));
    });
  }

  #handle(file: string, content: Content): DiskFile {
    this.openFiles++;
    return {
      write: (bytes, position) => {
        // Whoever writes may use the memory again once it is told that it was written.
        const kept = Buffer.from(bytes);
        return this.#call("write", file, (share) => {
          const part = kept.subarray(0, Math.floor(kept.length * share));
          content.edit({ kind: "write", position, bytes: part });
          return part.length;
        });
      },
      sync: () => {
        const begun = [...content.unsynced];
        return this.#call(
          "sync",
          file,
          () => content.sync(begun),
          () => content.failSync(begun),
        );
      },
      truncate: (length) =>
        this.#call("truncate", file, () => content.edit({ kind: "truncate", length })),
      close: () => {
        this.openFiles--;
        return this.#call("close", file, () => undefined);
      },
    };
  }

  /**
   * @param effect is told which share of it is done, which is all of it for anything but a write
   * @param onRefused what it does where it fails
   */
  #call<Result>(
    name: CallName,
    file: string,
    effect: (share: number) => Result,
    onRefused: () => void = () => undefined,
  ): Promise<Result> {
    const call = { name, path: file };
    const number = this.calls.push(call);
    this.callsUnderWay++;
    return new Promise((resolve, reject) => {
      this.later(
        () => {
          if (this.isDead) return;
          this.callsUnderWay--;
          const mishap = this.#mishap;
          if (mishap?.kind === "death" && number === mishap.at)
            return this.#dieAt(call, mishap, effect);
          const code = mishap && this.#refusalOf(number, call, mishap);
          if (code !== undefined) {
            onRefused();
            return reject(failure(code, name, file));
          }
          const isShort =
            mishap?.kind === "short write" && number === mishap.at && name === "write";
          if (isShort) {
            this.struck = call;
            this.#shortOf = file;
          }
          try {
            resolve(effect(isShort ? 0.5 : 1));
          } catch (error) {
            reject(error);
          }
        },
        name,
        file,
      );
    });
  }

  /** @returns the code of the error with which a call fails. */
  #refusalOf(number: number, call: DiskCall, mishap: Mishap): string | undefined {
    if (mishap.kind === "death" || mishap.code === undefined) return undefined;
    if (mishap.kind === "refusal") {
      const { at, only, where, isLasting = false } = mishap;
      if (where && !where.test(call.path)) return undefined;
      if (isLasting ? number < at : number !== at) return undefined;
      if (only && !only.includes(call.name)) return undefined;
      this.struck ??= call;
      return mishap.code;
    }
    if (this.#shortOf === undefined || number <= mishap.at) return undefined;
    if (mishap.isLasting) return mishap.code;
    if (call.name !== "write" || call.path !== this.#shortOf) return undefined;
    this.#shortOf = undefined;
    return mishap.code;
  }

  #dieAt(call: DiskCall, { moment, share = 0.5 }: Death, effect: (share: number) => unknown): void {
    this.struck = call;
    try {
      if (moment === "after") effect(1);
      if (moment === "during") effect(share);
    } catch {
      // A call that would have failed has no effect either.
    }
    this.isDead = true;
  }

  #rename(edit: NameEdit): void {
    rename(this.#seen, edit);
    this.#unsynced.push(edit);
  }

  #isFolder(name: string): boolean {
    return this.#seen.get(name) === FOLDER || name === path.dirname(name);
  }

  #expectFolder(name: CallName, folder: string): void {
    if (!this.#isFolder(folder)) throw failure("ENOENT", name, folder);
  }

  #fileAt(name: CallName, file: string): Content {
    const entry = this.#seen.get(file);
    if (entry === undefined) throw failure("ENOENT", name, file);
    if (entry === FOLDER) throw failure("EISDIR", name, file);
    return entry;
  }
}

function rename(names: Map<string, Entry>, { from, to, entry }: NameEdit): void {
  if (from !== undefined) names.delete(from);
  if (to !== undefined && entry !== undefined) names.set(to, entry);
}

/** A name is lost with the name of a folder above it. */
function isReachable(names: ReadonlyMap<string, Entry>, name: string): boolean {
  const folder = path.dirname(name);
  if (folder === path.dirname(folder)) return true;
  return names.get(folder) === FOLDER && isReachable(names, folder);
}

/** The same file stays the same file, however many names lead to it. */
function copier(copy: (content: Content) => Content): (entry: Entry) => Entry {
  const copies = new Map<Content, Content>();
  return (entry) => {
    if (entry === FOLDER) return entry;
    const made = copies.get(entry) ?? copy(entry);
    copies.set(entry, made);
    return made;
  };
}

function edited(content: Buffer<ArrayBuffer>, edit: Edit): Buffer<ArrayBuffer> {
  if (edit.kind === "write" && edit.position === content.length)
    return Buffer.concat([content, edit.bytes]);
  const length =
    edit.kind === "write"
      ? Math.max(content.length, edit.position + edit.bytes.length)
      : edit.length;
  const result = Buffer.alloc(length);
  content.copy(result);
  if (edit.kind === "write") edit.bytes.copy(result, edit.position);
  return result;
}

function sizeOf(edit: Edit): number {
  return edit.kind === "write" ? edit.bytes.length : 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function failure(code: string, name: CallName, file: string): Error {
  return Object.assign(new Error(`${code}: simulated failure, ${name} '${file}'`), { code });
}

function afterTurns(count: number, act: () => void): void {
  setImmediate(() => (count > 1 ? afterTurns(count - 1, act) : act()));
}

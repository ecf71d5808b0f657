import type {
  CompactionOptions,
  Journal,
  JournalBatch,
  JournalEntry,
  JournalSize,
  State,
} from "../../src/core/state/ports.ts";
import type { Change } from "../../src/core/state/records.ts";
import { applyEntry } from "../../src/store/journaled/read-all.ts";

/**
 * How an append fails: another process has taken the journal over (`conflict`), nothing is stored (`refused`), or all
 * of it is stored but the acknowledgement is lost (`unacknowledged`).
 */
export type Failure = "conflict" | "refused" | "unacknowledged";

/** What a journal stores; several journals, one after the other, can be opened on it. */
export class Storage {
  state: JournalEntry = { sequence: 0, lastEventNumber: 0, change: {} };
  entries: JournalEntry[] = [];
  compactions = 0;
  /** The journal that appends: the one that was started last. */
  writer: unknown;
}

/** Entries as text, as a database would take them. */
class MemoryBatch implements JournalBatch {
  #texts: string[] = [];

  get count(): number {
    return this.#texts.length;
  }

  get entries(): JournalEntry[] {
    return this.#texts.map((text) => JSON.parse(text) as JournalEntry);
  }

  add(entry: JournalEntry): void {
    this.#texts.push(JSON.stringify(entry));
  }

  clear(): void {
    this.#texts = [];
  }
}

/** A journal that fails as a test asks. */
export class MemoryJournal implements Journal<MemoryBatch> {
  readonly compactsAtClose = true;
  readonly storage: Storage;
  /** The next append fails so. */
  nextFailure: Failure | undefined;
  /** Whether `recover` and `compact` fail. */
  isDown = false;
  /** How many entries each append has stored. */
  readonly batches: number[] = [];
  isClosed = false;
  /** Appends wait for it. */
  gate: Promise<void> = Promise.resolve();
  /** Roll-backs wait for it. */
  rollBackGate: Promise<void> = Promise.resolve();
  #canContinue = true;

  constructor(storage = new Storage()) {
    this.storage = storage;
  }

  readState(empty: State): Promise<void> {
    applyEntry(empty, this.storage.state);
    return Promise.resolve();
  }

  read(position: number, onEntry: (entry: JournalEntry) => void): Promise<void> {
    for (const entry of this.storage.entries) if (entry.sequence > position) onEntry(entry);
    return Promise.resolve();
  }

  start(): Promise<void> {
    this.storage.writer = this;
    return Promise.resolve();
  }

  createBatch(): MemoryBatch {
    return new MemoryBatch();
  }

  async append(position: number, batch: MemoryBatch): Promise<void> {
    const { entries } = batch;
    await this.gate;
    const failure = this.nextFailure;
    this.nextFailure = undefined;
    const { storage } = this;
    if (failure === "conflict") {
      storage.writer = undefined;
      storage.entries.push(entryOfAnother(this.#last + 1));
    }
    this.#assertWriter();
    if (failure === "refused") throw new Error("the connection was refused");
    if (position !== this.#last)
      throw new Error(`the last position is ${this.#last}, not ${position}`);
    storage.entries.push(...entries);
    this.batches.push(entries.length);
    if (failure !== "unacknowledged") return;
    this.#canContinue = false;
    throw new Error("the connection was lost");
  }

  async rollBack(): Promise<boolean> {
    await this.rollBackGate;
    return this.#canContinue;
  }

  async recover(state: State): Promise<void> {
    this.#assertWriter();
    if (this.isDown) throw new Error("the journal is down");
    if (!this.#canContinue) this.#store(state);
    this.#canContinue = true;
  }

  async compact(state: State, { durable, signal }: CompactionOptions): Promise<void> {
    if (this.isDown) throw new Error("the journal is down");
    const saved = copyOf(state);
    await durable();
    signal.throwIfAborted();
    this.#assertWriter();
    this.storage.compactions++;
    this.storage.state = saved;
    this.storage.entries = this.storage.entries.filter((one) => one.sequence > saved.sequence);
  }

  get size(): JournalSize {
    const { state, entries } = this.storage;
    return {
      entryBytes: JSON.stringify(entries).length,
      stateBytes: JSON.stringify(state).length,
      compactedTo: state.sequence,
    };
  }

  close(state: State | undefined): Promise<void> {
    if (state && !this.isDown && this.storage.writer === this) this.#store(state);
    this.isClosed = true;
    return Promise.resolve();
  }

  get #last(): number {
    return this.storage.entries.at(-1)?.sequence ?? this.storage.state.sequence;
  }

  #assertWriter(): void {
    if (this.storage.writer !== this) throw new Error("another process has taken the journal over");
  }

  #store(state: State): void {
    this.storage.state = copyOf(state);
    this.storage.entries = [];
  }
}

function copyOf({ records, sequence }: State): JournalEntry {
  const change = JSON.parse(JSON.stringify(records.toChange())) as Change;
  return { sequence, lastEventNumber: records.lastEventNumber, change };
}

function entryOfAnother(sequence: number): JournalEntry {
  return { sequence, lastEventNumber: 0, change: { removedFaults: ["of another process"] } };
}

import { type Adapter, Low } from "lowdb";
import {
  type JournalEntry,
  type State,
  StorageError,
  type Store,
  type Timer,
} from "../core/state/ports.ts";
import { type Change, Records } from "../core/state/records.ts";
import { setImmediate } from "../platform/real-time.ts";
import { notAState, reasonOf, StateFileError } from "./errors.ts";
import { STATE, type Storage } from "./storage.ts";
import { toLine } from "./text/journal-line.ts";
import { DamagedLine, NotAState, readStateText, writeStateText } from "./text/state-text.ts";
import { FORMAT, type Header, VERSION } from "./text/schema.ts";
import { type Message, say } from "../text/message.ts";

export interface StoreOptions {
  /** Starts a compaction when the store is idle, and a retry after a failure. Without a timer both happen less often. */
  readonly timer?: Timer | undefined;
  /** Receives a text about each problem that the store handles by itself. */
  readonly report?: ((text: Message) => void) | undefined;
  /** How many finished deliveries are stored. Default: all. */
  readonly keepDeliveries?: number | undefined;
  /** The log is compacted when it is larger than this and than the state. A start reads this much in one or two seconds. */
  readonly logBytes?: number | undefined;
}

const LOG_BYTES = 256 << 20;
/** A compaction starts after this time without a change, or when the log has outgrown the state. */
const IDLE_MS = 1000;
/** A larger state is compacted only if the log has more than a share of its size. */
const SMALL_STATE_BYTES = 8 << 20;
const MIN_SHARE = 0.1;
/** After a compaction that failed. */
const RETRY_COMPACTION_MS = 60_000;
/** While changes are refused, the store retries at each change, and after pauses that double up to the longest. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

/**
 * Opens a store: reads everything, and begins to append. If it fails, the storage is still open.
 * @throws StateFileError if the state cannot be read; nothing is changed then
 */
export async function openStore(storage: Storage, options: StoreOptions = {}): Promise<Store> {
  const state = emptyState(options.keepDeliveries);
  const db = new Low<State>(new StateDocument(storage), state);
  const logBytes = await readAll(storage, db);
  const hasDocument = document(db).bytes > 0;
  // A log is never without its state.
  if (!hasDocument) await db.write();
  await storage.startLog(state.sequence);
  await storage.dropLog(document(db).sequence);
  return new DurableStore(storage, db, { ...options, hasDocument, readBytes: logBytes });
}

/** Reads a state without changing it; undefined if there is none. @throws StateFileError */
export async function readState(storage: Storage): Promise<State | undefined> {
  const db = new Low<State>(new StateDocument(storage), emptyState());
  await readAll(storage, db);
  return document(db).bytes > 0 || db.data.sequence > 0 ? db.data : undefined;
}

/** Stores a state where none is. */
export async function writeState(storage: Storage, state: State): Promise<void> {
  await new Low<State>(new StateDocument(storage), state).write();
}

function emptyState(keepDeliveries?: number): State {
  return { records: new Records(keepDeliveries), sequence: 0 };
}

/** @returns the size of the log in bytes */
async function readAll(storage: Storage, db: Low<State>): Promise<number> {
  const { data: state } = db;
  document(db).empty = state;
  // lowdb's presets would use memory whenever NODE_ENV is "test".
  await db.read();
  db.data = state;
  return storage.readLog(state.sequence, ({ sequence, lastEventNumber, change }: JournalEntry) => {
    state.records.apply(change);
    state.records.continueAfter(lastEventNumber);
    state.sequence = sequence;
  });
}

function document(db: Low<State>): StateDocument {
  return db.adapter as StateDocument;
}

/** lowdb's adapter for the state: reads and writes it as a stream. */
class StateDocument implements Adapter<State> {
  /** An empty state, which `read` fills. */
  empty = emptyState();
  bytes = 0;
  /** The last commit in it. Later ones are in the log. */
  sequence = 0;
  /** Resolves when all commits so far are durable: only then may a document with them take the place of the old one. */
  durable: () => Promise<void> = () => Promise.resolve();
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** @throws StateFileError if it is damaged, or of another version */
  async read(): Promise<State | null> {
    const state = this.empty;
    const { records } = state;
    const place = this.#storage.placeOf(STATE);
    try {
      const pieces = await this.#storage.read(STATE);
      if (!pieces) return null;
      this.bytes = await readStateText(pieces, {
        header: ({ sequence, lastEventNumber, snapshot }) => {
          if (snapshot) throw new NotAState(IS_SNAPSHOT);
          state.sequence = sequence;
          records.continueAfter(lastEventNumber);
        },
        rows: (list, rows) => records.load(list, rows as never),
      });
    } catch (error) {
      if (error instanceof DamagedLine)
        throw new StateFileError(
          say`The state cannot be opened: line ${error.line} of ${place} is damaged: ${error.reason}. Nothing was changed. Correct the line or delete it. To start empty, move ${place} and its journals away.`,
        );
      throw error instanceof NotAState ? notAState(place, error) : error;
    }
    this.sequence = state.sequence;
    return state;
  }

  /** Writes the state as it is at the moment of the call. */
  async write({ records, sequence }: State): Promise<void> {
    const { lastEventNumber } = records;
    const header: Header = { format: FORMAT, version: VERSION, sequence, lastEventNumber };
    const durable = this.durable();
    durable.catch(() => undefined);
    this.bytes = await this.#storage.write(
      STATE,
      writeStateText(header, records.listsOf(null)),
      durable,
    );
    this.sequence = sequence;
  }
}

const IS_SNAPSHOT = say`it is a snapshot, not a state file`;

/** Commits that are appended together. */
class Batch {
  readonly lines: string[] = [];
  readonly undos: (() => void)[] = [];
  readonly written: Promise<void>;
  resolve!: () => void;
  reject!: (error: Error) => void;

  constructor() {
    this.written = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.written.catch(() => undefined);
  }
}

/**
 * Records in memory, and a log of all changes. While a batch of commits is written, the next one forms. If an append
 * fails, all that is not durable is rolled back, and changes are refused until appending works again; reads still work.
 */
class DurableStore implements Store {
  onRollback: (() => void) | undefined;
  onRecovered: (() => void) | undefined;
  readonly #storage: Storage;
  readonly #db: Low<State>;
  readonly #timer: Timer | undefined;
  readonly #report: (text: Message) => void;
  readonly #maxLogBytes: number;
  /** Whether there was a document before this start. */
  readonly #hasDocument: boolean;
  #forming = new Batch();
  #writing: Batch | undefined;
  #flushing: Promise<void> | undefined;
  /** The last commit that is durable. */
  #durableTo: number;
  #logBytes: number;
  /** Appending and beginning a new log take turns. */
  #turn: Promise<unknown> = Promise.resolve();
  #compacting: Promise<void> | undefined;
  /** After a compaction that failed: until the log exceeds this size, only the timer retries. */
  #retryBytes = 0;
  #failure: StorageError | undefined;
  #recovering: Promise<void> | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #closed: Promise<void> | undefined;

  constructor(
    storage: Storage,
    db: Low<State>,
    options: StoreOptions & { readonly hasDocument: boolean; readonly readBytes: number },
  ) {
    this.#storage = storage;
    this.#db = db;
    this.#timer = options.timer;
    this.#report = options.report ?? (() => undefined);
    this.#maxLogBytes = options.logBytes ?? LOG_BYTES;
    this.#hasDocument = options.hasDocument;
    this.#durableTo = db.data.sequence;
    this.#logBytes = options.readBytes;
    document(db).durable = () => this.durable();
    this.#compactLater();
  }

  get records(): Records {
    return this.#db.data.records;
  }

  get isDegraded(): boolean {
    return this.#failure !== undefined;
  }

  /** After a failure too: the remaining records are durable, since the other changes were rolled back. */
  get isDurable(): boolean {
    return this.isDegraded || (!this.#writing && this.#forming.lines.length === 0);
  }

  commit(change: Change): void {
    if (this.#failure) {
      this.#tryToRecover();
      throw this.#failure;
    }
    const { records } = this;
    const undo = records.apply(change);
    const sequence = this.#db.data.sequence + 1;
    try {
      const { lastEventNumber } = records;
      this.#forming.lines.push(toLine({ sequence, lastEventNumber, change }));
    } catch (error) {
      undo();
      const reason = reasonOf(error);
      throw new StorageError(say`A change cannot be written to the journal: ${reason}.`);
    }
    this.#forming.undos.push(undo);
    this.#db.data.sequence = sequence;
    this.#flushing ??= this.#flush();
  }

  durable(): Promise<void> {
    if (this.isDurable) return Promise.resolve();
    return this.#forming.lines.length > 0
      ? this.#forming.written
      : (this.#writing?.written ?? Promise.resolve());
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #flush(): Promise<void> {
    await endOfTurn();
    while (this.#forming.lines.length > 0) {
      const batch = this.#forming;
      this.#writing = batch;
      this.#forming = new Batch();
      const bytes = Buffer.from(batch.lines.join(""));
      try {
        await this.#inTurn(() => this.#storage.append(bytes, batch.lines.length));
      } catch (error) {
        this.#fail(error);
        break;
      }
      this.#writing = undefined;
      this.#durableTo += batch.lines.length;
      this.#logBytes += bytes.length;
      this.#pauseMs = FIRST_PAUSE_MS;
      batch.resolve();
      this.#compactLater();
    }
    this.#flushing = undefined;
  }

  /** Rolls back all that is not durable, before anything else runs. */
  #fail(error: unknown): void {
    const lost = [this.#writing, this.#forming].filter((batch) => batch !== undefined);
    for (const undo of lost.flatMap(({ undos }) => undos).toReversed()) undo();
    this.#db.data.sequence = this.#durableTo;
    this.#writing = undefined;
    this.#forming = new Batch();
    const text = reasonOf(error);
    const failure = new StorageError(text);
    this.#failure = failure;
    this.onRollback?.();
    for (const batch of lost) batch.reject(failure);
    this.#report(
      say`${text} Changes are refused until writing works again. The sandbox retries on each change and every few seconds.`,
    );
    this.#recoverLater();
  }

  #recoverLater(): void {
    if (this.#closed) return;
    this.#timer?.set(this.#pauseMs, () => this.#tryToRecover());
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  #tryToRecover(): void {
    if (this.#closed) return;
    this.#recovering ??= this.#recover().finally(() => {
      this.#recovering = undefined;
    });
  }

  async #recover(): Promise<void> {
    await this.#compacting;
    try {
      await this.#inTurn(() => this.#storage.startLog(this.#durableTo));
    } catch {
      return this.#recoverLater();
    }
    this.#timer?.clear();
    this.#failure = undefined;
    this.#report(RECOVERED);
    this.onRecovered?.();
    // Somebody may have deleted the log.
    this.#retryBytes = 0;
    this.#compactSoon();
  }

  /** Compacts at once if the log is large, else when the store is idle, if it is worthwhile. */
  #compactLater(): void {
    if (this.#failure || this.#closed) return;
    const { bytes, sequence } = document(this.#db);
    if (this.#logBytes > Math.max(this.#maxLogBytes, bytes, this.#retryBytes))
      return this.#compactSoon();
    const isWorthwhile = bytes < SMALL_STATE_BYTES || this.#logBytes > bytes * MIN_SHARE;
    // After a failure the timer is already set to a later time.
    if (this.#retryBytes === 0 && this.#durableTo > sequence && isWorthwhile)
      this.#timer?.set(IDLE_MS, () => this.#compactSoon());
  }

  #compactSoon(): void {
    if (this.#failure || this.#closed) return;
    this.#compacting ??= this.#compact().finally(() => {
      this.#compacting = undefined;
      // Commits may have been added meanwhile.
      this.#compactLater();
    });
  }

  /** Merges the log into the state. A failure loses nothing. */
  async #compact(): Promise<void> {
    try {
      await this.#inTurn(() => this.#storage.startLog(this.#durableTo));
      if (this.#failure) return;
      const merged = this.#logBytes;
      await this.#db.write();
      this.#logBytes -= merged;
      this.#retryBytes = 0;
      await this.#storage.dropLog(document(this.#db).sequence);
    } catch (error) {
      if (this.#failure) return;
      this.#retryBytes = Math.max(1, this.#logBytes * 2);
      if (!this.#closed) this.#timer?.set(RETRY_COMPACTION_MS, () => this.#compactSoon());
      const place = this.#storage.placeOf(STATE);
      const reason = reasonOf(error);
      this.#report(
        say`The journal could not be merged into the state file ${place}: ${reason}. Nothing is lost: the journal holds all changes.`,
      );
    }
  }

  async #close(): Promise<void> {
    this.#timer?.clear();
    try {
      await this.#flushing;
      await this.#recovering;
      await this.#compacting;
      const { isMergedAtRest } = this.#storage;
      const { sequence } = document(this.#db);
      if (!this.#failure && isMergedAtRest && this.#durableTo > sequence) await this.#compact();
      // A run without any commit leaves nothing behind.
      if (!this.#hasDocument && this.#durableTo === 0)
        await this.#storage.remove(STATE).catch(() => undefined);
    } finally {
      await this.#storage.close();
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

const RECOVERED = say`The journal can be written again: changes are accepted.`;

/** Commits of one turn of the event loop are appended together. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

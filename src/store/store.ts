import { type Adapter, Low } from "lowdb";
import { StorageError, type Store, type Timer } from "../core/state/ports.ts";
import { type Change, Records } from "../core/state/records.ts";
import { setImmediate } from "../platform/real-time.ts";
import { reasonOf, unreadable } from "./errors.ts";
import { StoredSnapshots } from "./snapshots.ts";
import { type OpenedState, type State, STATE, type Storage } from "./storage.ts";
import { toLine } from "./text/lines.ts";
import { NotAState, readStateText, writeStateText } from "./text/state-text.ts";
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
/** A larger state is compacted only if the log has more than a tenth of its size. */
const SMALL_STATE_BYTES = 8 << 20;
/** While changes are refused, the store retries after this time, and at each change. */
const RETRY_MS = 1000;

/**
 * Opens a state: reads everything, and begins to append. If that fails, the storage is closed.
 * @throws what the storage explains; nothing is changed if the state cannot be read
 */
export async function openStored(
  storage: Storage,
  options: StoreOptions = {},
): Promise<OpenedState> {
  try {
    const document = new StateDocument(storage, options.keepDeliveries);
    await document.readAll();
    // A log is never without its state.
    document.isNew = document.bytes === 0;
    if (document.isNew) await document.db.write();
    await storage.startLog(document.state.sequence);
    await storage.dropLog(document.sequence);
    const store = new DurableStore(storage, document, options);
    const { lease } = storage;
    if (lease) lease.onRegained = () => store.onRecovered?.();
    return { store, snapshots: new StoredSnapshots(storage), lease };
  } catch (error) {
    await storage.close();
    throw storage.explain(error);
  }
}

/** A stored state. lowdb reads and writes its document, as a stream. */
export class StateDocument implements Adapter<State> {
  readonly state: State;
  readonly db: Low<State>;
  bytes = 0;
  /** Whether this start has begun it. */
  isNew = false;
  /** The size of the log. */
  logBytes = 0;
  /** The last commit in the document. Later ones are in the log. */
  sequence = 0;
  /** Resolves when all commits so far are durable: only then may a document with them take the place of the old one. */
  durable: () => Promise<void> = () => Promise.resolve();
  readonly #storage: Storage;

  constructor(storage: Storage, keepDeliveries?: number) {
    this.#storage = storage;
    this.state = { records: new Records(keepDeliveries), sequence: 0 };
    // lowdb's presets would use memory whenever NODE_ENV is "test".
    this.db = new Low<State>(this, this.state);
  }

  /** Reads the document and the log, without changing them. @returns whether there is a state. @throws StateFileError */
  async readAll(): Promise<boolean> {
    const { db, state } = this;
    await db.read();
    await this.#storage.readLog(state.sequence, ({ sequence, change }, bytes) => {
      state.records.apply(change);
      state.sequence = sequence;
      this.logBytes += bytes;
    });
    return this.bytes > 0 || state.sequence > 0;
  }

  /** @throws StateFileError if it is damaged, or of another version */
  async read(): Promise<State> {
    const { state } = this;
    const place = this.#storage.placeOf(STATE);
    try {
      const pieces = await this.#storage.read(STATE);
      if (!pieces) return state;
      const { header, bytes } = await readStateText(pieces, state.records);
      if (header.snapshot) throw new NotAState(say`it is a snapshot, not a state file`);
      this.bytes = bytes;
      this.sequence = header.sequence;
      state.sequence = header.sequence;
      return state;
    } catch (error) {
      throw error instanceof NotAState ? unreadable(place, error) : error;
    }
  }

  /** Writes the state as it is at the moment of the call. */
  async write({ records, sequence }: State): Promise<void> {
    const text = writeStateText({ sequence }, records.listsOf(null));
    this.bytes = await this.#storage.write(STATE, text, this.durable());
    this.sequence = sequence;
  }
}

/** Commits that are appended together. */
class Batch {
  readonly lines: Buffer[] = [];
  readonly undos: (() => void)[] = [];
  settle!: (failure?: Error) => void;
  readonly written = new Promise<void>((resolve, reject) => {
    this.settle = (failure) => (failure ? reject(failure) : resolve());
  });

  constructor() {
    this.written.catch(() => undefined);
  }
}

/**
 * Records in memory, and a log of all changes. While a batch of commits is written, the next one forms. If an append
 * fails, all that is not durable is rolled back, and changes are refused until appending works again; reads still work.
 */
class DurableStore implements Store {
  onRecovered: (() => void) | undefined;
  readonly #storage: Storage;
  readonly #document: StateDocument;
  readonly #state: State;
  readonly #options: StoreOptions;
  #forming = new Batch();
  #writing: Batch | undefined;
  #flushing: Promise<void> | undefined;
  /** The last commit that is durable. */
  #durableTo: number;
  /** Appending and beginning a new log take turns. */
  #turn: Promise<unknown> = Promise.resolve();
  #compacting: Promise<void> | undefined;
  /** After a compaction that failed: no other one starts until the log has this size. */
  #retryBytes = 0;
  #failure: StorageError | undefined;
  #closed: Promise<void> | undefined;

  constructor(storage: Storage, document: StateDocument, options: StoreOptions) {
    this.#storage = storage;
    this.#document = document;
    this.#state = document.state;
    this.#options = options;
    this.#durableTo = this.#state.sequence;
    document.durable = () => this.durable();
    this.#compactLater();
  }

  get records(): Records {
    return this.#state.records;
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
      this.#compactSoon();
      throw this.#failure;
    }
    const sequence = this.#state.sequence + 1;
    const line = toLine({ sequence, change });
    this.#forming.undos.push(this.records.apply(change));
    this.#forming.lines.push(line);
    this.#state.sequence = sequence;
    this.#flushing ??= this.#flush();
  }

  durable(): Promise<void> {
    const batch = this.#forming.lines.length > 0 ? this.#forming : this.#writing;
    return batch?.written ?? Promise.resolve();
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #flush(): Promise<void> {
    // Commits of one turn of the event loop are appended together.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    while (this.#forming.lines.length > 0) {
      const batch = this.#forming;
      this.#writing = batch;
      this.#forming = new Batch();
      const bytes = Buffer.concat(batch.lines);
      try {
        await this.#inTurn(() => this.#storage.append(bytes, batch.lines.length));
      } catch (error) {
        this.#fail(error);
        break;
      }
      this.#writing = undefined;
      this.#durableTo += batch.lines.length;
      this.#document.logBytes += bytes.length;
      batch.settle();
      this.#compactLater();
    }
    this.#flushing = undefined;
  }

  /** Rolls back all that is not durable, before anything else runs. */
  #fail(error: unknown): void {
    const lost = [this.#writing, this.#forming].filter((batch) => batch !== undefined);
    for (const undo of lost.flatMap(({ undos }) => undos).toReversed()) undo();
    this.#state.sequence = this.#durableTo;
    this.#writing = undefined;
    this.#forming = new Batch();
    const text = reasonOf(error);
    const failure = new StorageError(text);
    this.#failure = failure;
    for (const batch of lost) batch.settle(failure);
    this.#options.report?.(
      say`${text} Changes are refused until writing works again. The sandbox retries on each change and every second.`,
    );
    this.#compactLater();
  }

  /** Compacts at once if the log is large, else when the store is idle, if it is worthwhile. */
  #compactLater(): void {
    const { bytes, logBytes, sequence } = this.#document;
    const { logBytes: most = LOG_BYTES, timer } = this.#options;
    const compact = (): void => this.#compactSoon();
    if (this.#closed) return;
    if (this.#failure) return timer?.set(RETRY_MS, compact);
    if (this.#durableTo === sequence || logBytes < this.#retryBytes) return;
    if (logBytes > Math.max(most, bytes)) compact();
    else if (bytes < SMALL_STATE_BYTES || logBytes > bytes / 10) timer?.set(IDLE_MS, compact);
  }

  #compactSoon(): void {
    if (this.#closed) return;
    this.#compacting ??= this.#compact().finally(() => {
      this.#compacting = undefined;
      // Commits may have been added meanwhile.
      this.#compactLater();
    });
  }

  /** Begins the next log, which ends a failure, and merges the logs before it into the state. */
  async #compact(): Promise<void> {
    try {
      await this.#inTurn(() => this.#storage.startLog(this.#durableTo));
      if (this.#failure) {
        this.#failure = undefined;
        this.#options.report?.(say`Writing works again: changes are accepted.`);
        this.onRecovered?.();
      }
      const merged = this.#document.logBytes;
      await this.#document.db.write();
      this.#document.logBytes -= merged;
      this.#retryBytes = 0;
      await this.#storage.dropLog(this.#document.sequence);
    } catch (error) {
      if (this.#failure) return;
      this.#retryBytes = Math.max(1, this.#document.logBytes * 2);
      const place = this.#storage.placeOf(STATE);
      this.#options.report?.(
        say`The journal could not be merged into ${place}: ${reasonOf(error)}. It still has all changes.`,
      );
    }
  }

  async #close(): Promise<void> {
    this.#options.timer?.clear();
    try {
      await this.#flushing;
      await this.#compacting;
      const isMerged = this.#durableTo === this.#document.sequence;
      if (!this.#failure && !this.#storage.lease && !isMerged) await this.#compact();
      // A run without any commit leaves nothing behind.
      if (this.#document.isNew && this.#durableTo === 0) await this.#storage.remove(STATE);
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

import {
  type Journal,
  type JournalBatch,
  type State,
  StorageError,
  type Store,
  type Timer,
} from "../../core/state/ports.ts";
import type { Change, Records } from "../../core/state/records.ts";
import { CommitQueue } from "./commit-queue.ts";
import { Compaction } from "./compaction.ts";
import { reasonOf } from "../errors.ts";
import { STORE_LIMITS, type StoreLimits } from "../format/limits.ts";
import { readAll } from "./read-all.ts";
import { type Message, say } from "../../text/message.ts";

export interface JournaledStoreOptions {
  /** Starts a compaction when the store is idle, and a retry after a failure. Without a timer both happen less often. */
  readonly timer?: Timer | undefined;
  /** Receives a text about each problem that the store handles by itself. */
  readonly report?: ((text: Message) => void) | undefined;
  /** How many finished deliveries are stored. Default: all. */
  readonly keepDeliveries?: number | undefined;
  /** Replaces some of `STORE_LIMITS`. */
  readonly limits?: Partial<StoreLimits> | undefined;
}

/** While changes are refused, the store retries at each change and after pauses that double up to the longest. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

/**
 * Opens a store on a journal.
 * @param read what was read from the journal so far; default: everything is read now
 * @throws the journal's error if it cannot be read or started.
 */
export async function openJournaledStore<Batch extends JournalBatch>(
  journal: Journal<Batch>,
  options: JournaledStoreOptions = {},
  read?: State,
): Promise<Store> {
  const state = read ?? (await readAll(journal, options.keepDeliveries));
  await journal.start(state);
  return new JournaledStore(journal, state, options);
}

/**
 * Records in memory, with a journal of all changes. If an append fails, the store rolls back the changes that are not
 * durable and refuses further ones; reads still work. It recovers by itself when the journal can be written again.
 */
class JournaledStore<Batch extends JournalBatch> implements Store {
  onRollback: (() => void) | undefined;
  onRecovered: (() => void) | undefined;
  readonly #journal: Journal<Batch>;
  readonly #state: State;
  readonly #queue: CommitQueue<Batch>;
  readonly #compaction: Compaction;
  readonly #timer: Timer | undefined;
  readonly #report: (text: Message) => void;
  #failure: StorageError | undefined;
  #recovering: Promise<void> | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #closed: Promise<void> | undefined;

  constructor(
    journal: Journal<Batch>,
    state: State,
    { timer, report = () => undefined, limits: changedLimits }: JournaledStoreOptions,
  ) {
    const limits = { ...STORE_LIMITS, ...changedLimits };
    this.#journal = journal;
    this.#state = state;
    this.#timer = timer;
    this.#report = report;
    this.#queue = new CommitQueue({
      journal,
      position: state.sequence,
      pauseMs: limits.pauseMs,
      onWritten: () => this.#afterWriting(),
      onFailure: (error) => this.#fail(error),
    });
    this.#compaction = new Compaction({
      journal,
      state,
      durable: () => this.#queue.durable(),
      timer,
      report,
      limits,
    });
    this.#compaction.schedule();
  }

  get records(): Records {
    return this.#state.records;
  }

  get isDegraded(): boolean {
    return this.#failure !== undefined;
  }

  /** After a failure too: the remaining records are durable, since the other changes were rolled back. */
  get isDurable(): boolean {
    return this.#failure !== undefined || this.#queue.isIdle;
  }

  commit(change: Change): void {
    if (this.#failure) {
      this.#tryToRecover();
      throw this.#failure;
    }
    const { records } = this;
    const undo = records.apply(change);
    try {
      this.#queue.add(change, records.lastEventNumber, undo);
    } catch (error) {
      undo();
      const reason = reasonOf(error);
      throw new StorageError(say`A change cannot be written to the journal: ${reason}.`);
    }
    this.#state.sequence = this.#queue.position;
  }

  durable(): Promise<void> {
    return this.#failure ? Promise.resolve() : this.#queue.durable();
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  #afterWriting(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#compaction.afterWriting();
  }

  #fail(error: unknown): StorageError {
    const text = reasonOf(error);
    this.#failure = new StorageError(text);
    this.#compaction.pause();
    this.#waitToRecover();
    this.onRollback?.();
    this.#report(
      say`${text} Changes are refused until writing works again. The sandbox retries on each change and every few seconds.`,
    );
    return this.#failure;
  }

  #waitToRecover(): void {
    this.#timer?.clear();
    if (this.#closed) return;
    this.#timer?.set(this.#pauseMs, () => this.#tryToRecover());
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  #tryToRecover(): void {
    if (!this.#failure || this.#closed) return;
    this.#recovering ??= this.#recover().finally(() => {
      this.#recovering = undefined;
    });
  }

  async #recover(): Promise<void> {
    try {
      // A compaction that is running would write changes that were rolled back.
      await this.#compaction.cancel();
      await this.#queue.settled();
      this.#state.sequence = this.#queue.position;
      await this.#journal.recover(this.#state);
    } catch {
      this.#waitToRecover();
      return;
    }
    this.#timer?.clear();
    this.#queue.resume(this.#state.sequence);
    this.#failure = undefined;
    this.#report(RECOVERED);
    this.onRecovered?.();
    this.#compaction.resume();
  }

  async #close(): Promise<void> {
    this.#timer?.clear();
    const stopped = this.#compaction.stop();
    try {
      await this.durable().catch(() => undefined);
      await stopped;
      await this.#recovering;
      if (!this.#failure && this.#journal.compactsAtClose) await this.#compaction.runLast();
    } finally {
      await this.#queue.settled();
      await this.#journal.close(this.#failure && this.#state);
    }
  }
}

const RECOVERED = say`The journal can be written again: changes are accepted.`;

import type { Journal, State, Timer } from "../../core/state/ports.ts";
import { reasonOf } from "../errors.ts";
import type { StoreLimits } from "../format/limits.ts";
import type { Message } from "../../text/message.ts";

/** A compaction starts after this time without a change, or when the journal has outgrown the state. */
const IDLE_MS = 1000;
/** A large state is compacted only if the journal has more than this share of its size. */
const MIN_SHARE = 0.1;
/** After a compaction that failed. */
const RETRY_MS = 60_000;

/** Decides when a journal is compacted, and runs one compaction at a time. A failure loses nothing. */
export class Compaction {
  readonly #journal: Pick<Journal, "compact" | "size">;
  readonly #state: State;
  readonly #durable: () => Promise<void>;
  readonly #timer: Timer | undefined;
  readonly #report: (text: Message) => void;
  readonly #limits: StoreLimits;
  #running: Promise<void> | undefined;
  #abort = new AbortController();
  /** After a failure: until the journal exceeds this size, only the timer retries. */
  #retryBytes = 0;
  #isPaused = false;
  #isStopped = false;

  constructor(parts: {
    journal: Pick<Journal, "compact" | "size">;
    state: State;
    /** Resolves when all commits so far are durable. */
    durable: () => Promise<void>;
    timer: Timer | undefined;
    report: (text: Message) => void;
    limits: StoreLimits;
  }) {
    this.#journal = parts.journal;
    this.#state = parts.state;
    this.#durable = parts.durable;
    this.#timer = parts.timer;
    this.#report = parts.report;
    this.#limits = parts.limits;
  }

  /** Starts a compaction at once if the journal is large, else when the store is idle. */
  afterWriting(): void {
    const { entryBytes, stateBytes } = this.#journal.size;
    const limit = Math.max(this.#limits.journalBytes, stateBytes, this.#retryBytes);
    if (entryBytes > limit) this.#start();
    else this.schedule();
  }

  /** Schedules a compaction for when the store is idle, if it is worthwhile. */
  schedule(): void {
    // After a failure the timer is already set to a later time.
    if (this.#retryBytes > 0 || this.#isStopped) return;
    const { entryBytes, stateBytes } = this.#journal.size;
    const isWorthwhile =
      stateBytes < this.#limits.smallStateBytes || entryBytes > stateBytes * MIN_SHARE;
    if (this.#isBehind && isWorthwhile) this.#timer?.set(IDLE_MS, () => this.#start());
  }

  /** Starts none until `resume`. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#retryBytes = 0;
    this.schedule();
  }

  /** Cancels a compaction that is under way, and waits for its end. */
  async cancel(): Promise<void> {
    this.#abort.abort(new Error("appending has failed"));
    await this.#running;
  }

  /** Starts no more compactions, and waits for one that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Compacts once more before the journal is closed. */
  async runLast(): Promise<void> {
    if (this.#isBehind) await this.#run();
  }

  /** Whether there are commits that the last compacted state does not contain. */
  get #isBehind(): boolean {
    return this.#state.sequence > this.#journal.size.compactedTo;
  }

  #start(): void {
    if (this.#isPaused || this.#isStopped) return;
    this.#running ??= this.#run().then(() => {
      this.#running = undefined;
      // Commits may have been added meanwhile.
      if (!this.#isPaused) this.schedule();
    });
  }

  async #run(): Promise<void> {
    this.#abort = new AbortController();
    try {
      const { signal } = this.#abort;
      await this.#journal.compact(this.#state, { durable: this.#durable, signal });
      this.#retryBytes = 0;
    } catch (error) {
      if (this.#isPaused) return;
      this.#retryBytes = this.#journal.size.entryBytes * 2;
      if (!this.#isStopped) this.#timer?.set(RETRY_MS, () => this.#start());
      this.#report(reasonOf(error));
    }
  }
}

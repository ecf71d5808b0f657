import type { Journal, JournalBatch } from "../../core/state/ports.ts";
import type { Change } from "../../core/state/records.ts";
import { clearTimeout, setImmediate, setTimeout } from "../../platform/real-time.ts";

/**
 * Appends commits to a journal in batches: while one batch is written, the next one forms. A batch is written as soon
 * as a caller waits for it, else after a short pause: each write costs time. All commits of a batch become durable
 * together. If an append fails, every commit that is not durable is rolled back.
 */
export class CommitQueue<Batch extends JournalBatch = JournalBatch> {
  readonly #journal: Journal<Batch>;
  readonly #pauseMs: number;
  readonly #onWritten: () => void;
  readonly #onFailure: (error: unknown) => Error;
  #position: number;
  #forming: PendingCommits<Batch>;
  #writing: PendingCommits<Batch> | undefined;
  #spare: Batch;
  #running: Promise<void> | undefined;
  /** Why commits are refused, from a failed append until `resume`. */
  #refusal: Error | undefined;

  /**
   * @param parts.position of the last commit that was read
   * @param parts.pauseMs how long commits that no caller waits for are collected
   * @param parts.onWritten is called after each batch
   * @param parts.onFailure is called when commits were rolled back; returns the error for their callers
   */
  constructor(parts: {
    journal: Journal<Batch>;
    position: number;
    pauseMs: number;
    onWritten: () => void;
    onFailure: (error: unknown) => Error;
  }) {
    this.#journal = parts.journal;
    this.#position = parts.position;
    this.#pauseMs = parts.pauseMs;
    this.#onWritten = parts.onWritten;
    this.#onFailure = parts.onFailure;
    this.#forming = new PendingCommits(parts.journal.createBatch());
    this.#spare = parts.journal.createBatch();
  }

  /** The position of the last commit. */
  get position(): number {
    return this.#position;
  }

  /**
   * Adds a commit to the batch that forms.
   * @param undo rolls the change back
   * @throws Error if the change cannot be encoded.
   */
  add(change: Change, lastEventNumber: number, undo: () => void): void {
    this.#forming.batch.add({ sequence: this.#position + 1, lastEventNumber, change });
    this.#forming.undos.push(undo);
    this.#position++;
    this.#running ??= endOfTurn().then(() => this.#write());
  }

  /** Whether no commit waits to be written. */
  get isIdle(): boolean {
    return !this.#refusal && !this.#writing && this.#forming.batch.count === 0;
  }

  /** Resolves when all commits so far are durable. Rejects if some of them were rolled back. */
  durable(): Promise<void> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    if (this.#forming.batch.count > 0) return this.#forming.awaitWritten();
    return this.#writing?.written ?? Promise.resolve();
  }

  /** Resolves when no append or roll-back is under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Accepts commits again after a failure. @param position of the last commit in the journal */
  resume(position: number): void {
    this.#position = position;
    this.#refusal = undefined;
  }

  async #write(): Promise<void> {
    while (!this.#refusal && this.#forming.batch.count > 0) {
      if (!this.#forming.isAwaited) await this.#forming.untilAwaited(this.#pauseMs);
      await this.#writeBatch();
    }
    this.#running = undefined;
  }

  async #writeBatch(): Promise<void> {
    const pending = this.#forming;
    this.#writing = pending;
    this.#forming = new PendingCommits(this.#spare);
    const { batch } = pending;
    try {
      await this.#journal.append(this.#position - this.#forming.batch.count - batch.count, batch);
    } catch (error) {
      await this.#rollBack(error);
      return;
    }
    this.#writing = undefined;
    batch.clear();
    this.#spare = batch;
    pending.resolve();
    this.#onWritten();
  }

  async #rollBack(error: unknown): Promise<void> {
    // Refuses new commits and rolls back before anything else runs.
    this.#refusal = error as Error;
    const lost = [this.#writing, this.#forming].filter((pending) => pending !== undefined);
    for (const undo of lost.flatMap(({ undos }) => undos).toReversed()) undo();
    const refusal = this.#onFailure(error);
    this.#refusal = refusal;
    const position = lost.reduce((sum, { batch }) => sum - batch.count, this.#position);
    // A position that may still be in the journal is never used again.
    if (await this.#journal.rollBack(position)) this.#position = position;
    this.#writing = undefined;
    this.#forming = new PendingCommits(this.#journal.createBatch());
    this.#spare = this.#journal.createBatch();
    for (const pending of lost) pending.reject(refusal);
  }
}

/** Commits that are appended together. */
class PendingCommits<Batch> {
  readonly batch: Batch;
  readonly undos: (() => void)[] = [];
  readonly written: Promise<void>;
  resolve!: () => void;
  reject!: (error: Error) => void;
  /** Whether a caller waits until they are written. */
  isAwaited = false;
  #onAwaited: (() => void) | undefined;

  constructor(batch: Batch) {
    this.batch = batch;
    this.written = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.written.catch(() => undefined);
  }

  awaitWritten(): Promise<void> {
    this.isAwaited = true;
    this.#onAwaited?.();
    return this.written;
  }

  /** Resolves at the end of the turn in which a caller begins to wait for them, or after a pause. */
  untilAwaited(pauseMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      this.#onAwaited = () => {
        this.#onAwaited = undefined;
        clearTimeout(timer);
        setImmediate(resolve);
      };
    });
  }
}

/** Commits of one turn of the event loop are appended together. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

import { EventLog } from "./event-log.ts";
import { behaviorOf } from "../faults/effects.ts";
import { StorageError, type Store } from "../ports.ts";
import type { Change } from "./records.ts";

/**
 * Find, decide, commit: how everything that the gateway does is decided, one thing after the other, and
 * when it is answered.
 */
export class Transactions {
  readonly eventLog: EventLog;
  readonly #store: Store;
  readonly #catchUp: () => void;
  readonly #onCommit: (change: Change) => void;
  /** The deliveries of the decision under way that are to be attempted before it is answered. */
  #early: string[] = [];
  /** Each looks again whether it has waited long enough. */
  readonly #untilAttempted = new Set<() => void>();
  #isStopped = false;

  /**
   * @param parts.catchUp lets happen what is due by now: it comes before whatever is decided
   * @param parts.onCommit told of each change once it is applied, before its events
   */
  constructor(parts: { store: Store; catchUp: () => void; onCommit: (change: Change) => void }) {
    this.#store = parts.store;
    this.#catchUp = parts.catchUp;
    this.#onCommit = parts.onCommit;
    this.eventLog = new EventLog(parts.store.records);
    this.#store.onRollback = () => this.eventLog.forgetHeld();
  }

  /**
   * Decides at once, with nothing in between, and answers when all that the answer may report is durable,
   * be it a repeat, a read or a refusal.
   */
  transact<Result>(decide: () => Result): Promise<Result> {
    try {
      this.#catchUpForReading();
      if (this.#early.length > 0) this.#early = []; // What nobody called for keeps nobody waiting.
      const result = decide();
      const early = this.#early;
      const durable = this.#store.durable();
      if (early.length === 0) return durable.then(() => result);
      return durable.then(() => this.#attempted(early)).then(() => result);
    } catch (refusal) {
      return this.#store.durable().then(() => {
        throw refusal;
      });
    }
  }

  /**
   * Applies a change; in the course of a decision, or of what is due.
   * @throws StorageError where the store refuses it.
   */
  commit(change: Change): void {
    this.#store.commit(change);
    this.#onCommit(change);
    for (const { id, fault, attempts } of change.deliveries ?? [])
      if (attempts.length === 0 && behaviorOf(fault).delaysAnswer) this.#early.push(id);
    this.eventLog.add(change);
  }

  /** Answers at once whatever is to be answered only after an attempt. */
  stop(): void {
    this.#isStopped = true;
    for (const look of this.#untilAttempted) look();
  }

  /** A store that refuses changes still lets everything be read as it was kept. */
  #catchUpForReading(): void {
    try {
      this.#catchUp();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  /** Resolves once each delivery has been attempted, or will not be. */
  #attempted(ids: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        const isWaiting = ids.some(
          (id) => this.#store.records.deliveries.get(id)?.attempts.length === 0,
        );
        if (isWaiting && !this.#isStopped) return;
        stopListening();
        this.#untilAttempted.delete(look);
        resolve();
      };
      const stopListening = this.eventLog.onMore(look);
      this.#untilAttempted.add(look);
      look();
    });
  }
}

import { StorageError, type Store } from "../state/ports.ts";
import type { CatchUp } from "./catch-up.ts";
import type { Committer } from "./committer.ts";
import type { EventLog } from "../state/event-log.ts";
import type { Change } from "../state/records.ts";

/** Runs everything that the gateway does as transactions, one after another. */
export class Transactions {
  readonly #store: Store;
  readonly #committer: Committer;
  readonly #catchUp: CatchUp;
  /** Each checks again whether its wait for an attempt has ended. */
  readonly #untilAttempted = new Set<() => void>();
  #isStopped = false;

  constructor(parts: { store: Store; committer: Committer; catchUp: CatchUp }) {
    this.#store = parts.store;
    this.#committer = parts.committer;
    this.#catchUp = parts.catchUp;
  }

  get eventLog(): EventLog {
    return this.#committer.eventLog;
  }

  /**
   * Runs due tasks, then `decide`, which finds, decides and commits without a pause.
   * @returns what `decide` returns, when everything that it may report is durable; also for reads and refusals
   */
  transact<Result>(decide: () => Result): Promise<Result> {
    try {
      this.#catchUpIfPossible();
      // Deliveries that the clock triggered do not delay this response.
      this.#committer.takeEarly();
      const result = decide();
      const early = this.#committer.takeEarly();
      const durable = this.#store.durable();
      if (early.length === 0) return durable.then(() => result);
      return durable.then(() => this.#attempted(early)).then(() => result);
    } catch (refusal) {
      return this.#store.durable().then(() => {
        throw refusal;
      });
    }
  }

  /** Runs due tasks, then `decide`, whose changes become durable soon: no response may report them yet. */
  run(decide: () => void): void {
    this.#catchUpIfPossible();
    decide();
  }

  /**
   * Commits a change; to be called by a `decide` function.
   * @throws StorageError if the store refuses it
   */
  commit(change: Change): void {
    this.#committer.commit(change);
  }

  /** Ends all waits for attempts, so that the waiting calls get their responses. */
  stop(): void {
    this.#isStopped = true;
    for (const look of this.#untilAttempted) look();
  }

  /** A store that refuses changes still serves reads. */
  #catchUpIfPossible(): void {
    try {
      this.#catchUp.run();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  /** Resolves when each delivery was attempted, or will not be. */
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

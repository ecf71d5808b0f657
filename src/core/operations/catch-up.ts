import { statusWhenDue } from "../records/transaction.ts";
import type { Settlement } from "./settlement.ts";
import type { Committer } from "./transaction.ts";
import type { Records } from "../state/records.ts";
import type { Clock } from "../time/clock.ts";
import type { Scheduler } from "../time/scheduler.ts";

/** How many due tasks run before waiting calls have their turn. */
export const DUE_AT_ONCE = 100;

/** Runs due tasks: payins expire, payouts complete, both can be canceled, and attempts of deliveries begin. */
export class CatchUp {
  readonly #clock: Clock;
  readonly #records: Records;
  readonly #scheduler: Scheduler;
  readonly #settlement: Settlement;
  readonly #committer: Committer;
  #attemptsStarted = 0;

  constructor(parts: {
    clock: Clock;
    records: Records;
    scheduler: Scheduler;
    settlement: Settlement;
    committer: Committer;
  }) {
    this.#clock = parts.clock;
    this.#records = parts.records;
    this.#scheduler = parts.scheduler;
    this.#settlement = parts.settlement;
    this.#committer = parts.committer;
  }

  /** How many attempts have begun because they were due. */
  get attemptsStarted(): number {
    return this.#attemptsStarted;
  }

  /**
   * Runs the tasks that are due now: all, or the first `limit`. Each has the time at which it was due.
   * @throws StorageError if the store refuses a change; its task stays due
   */
  run(limit = Number.POSITIVE_INFINITY): void {
    const nowMs = this.#clock.nowMs();
    for (let left = limit; left > 0 && this.#scheduler.nextDueMs <= nowMs; left--) this.#runNext();
  }

  /** Moves the clock to the next due time, unless that has passed, and runs what is due then. */
  runNext(): void {
    this.#clock.moveTo(this.#scheduler.nextDueMs);
    this.run();
  }

  #runNext(): void {
    const dueMs = this.#scheduler.nextDueMs;
    const next = this.#scheduler.take(dueMs);
    if (next === undefined) return;
    if ("attempts" in next) {
      this.#scheduler.start(next);
      this.#attemptsStarted++;
      return;
    }
    const fault = this.#records.faults.size > 0 ? { uses: this.#settlement.newUses() } : {};
    const { change } = this.#settlement.settle(next, statusWhenDue(next), dueMs, fault);
    try {
      this.#committer.commit([...change, ...(fault.uses?.change ?? [])]);
    } catch (error) {
      this.#scheduler.add(next);
      throw error;
    }
  }
}

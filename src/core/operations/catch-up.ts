import type { Payin } from "../records/payin.ts";
import type { Payout } from "../records/payout.ts";
import type { Settlement } from "./settlement.ts";
import type { Committer } from "./transaction.ts";
import type { Put, Records } from "../state/records.ts";
import type { Clock } from "../time/clock.ts";
import { isCanceledWhenDue, type Scheduler } from "../time/scheduler.ts";

/** How many payins expire and payouts complete in one commit. */
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
   * Runs the tasks that are due now: all, or about the first `limit`.
   * @throws StorageError if the store refuses the changes; the tasks stay due
   */
  run(limit = Number.POSITIVE_INFINITY): void {
    const nowMs = this.#clock.nowMs();
    for (let left = limit; left > 0 && this.#scheduler.nextDueMs <= nowMs; left -= DUE_AT_ONCE)
      this.moveTowards(nowMs);
  }

  /**
   * Runs some of the tasks that are due by a time, and moves the clock along. It stops at the first webhook
   * attempt, since the attempt's result can schedule other tasks. It settles at most `DUE_AT_ONCE` records: they
   * become one commit, which is one journal line.
   * @throws StorageError if the store refuses the changes; the tasks stay due
   */
  moveTowards(targetMs: number): void {
    const uses = this.#records.faults.size > 0 ? this.#settlement.newUses() : undefined;
    const due: (Payin | Payout)[] = [];
    const puts: Put[] = [];
    let isLeaving = false;
    while (due.length < DUE_AT_ONCE && this.#scheduler.nextDueMs <= targetMs) {
      const dueMs = this.#scheduler.nextDueMs;
      if (dueMs > this.#clock.nowMs()) {
        if (isLeaving || puts.length > due.length) break;
        this.#clock.moveTo(dueMs);
      }
      const next = this.#scheduler.take(dueMs);
      if (next === undefined) continue;
      if ("attempts" in next) {
        if (puts.length > due.length) {
          // The deliveries of this commit are due before it.
          this.#scheduler.returnToQueue(next);
          break;
        }
        this.#scheduler.start(next);
        this.#attemptsStarted++;
        isLeaving = true;
        continue;
      }
      due.push(next);
      const isCanceled = isCanceledWhenDue(next);
      const { change } =
        "expiresAtMs" in next
          ? this.#settlement.ofPayin(next, isCanceled ? "canceled" : "expired", dueMs, { uses })
          : this.#settlement.ofPayout(next, isCanceled ? "canceled" : "completed", dueMs, { uses });
      puts.push(...change);
    }
    if (due.length === 0) return;
    try {
      this.#committer.commit([...puts, ...(uses?.change ?? [])]);
    } catch (error) {
      for (const record of due) this.#scheduler.add(record);
      throw error;
    }
  }
}

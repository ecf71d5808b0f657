import type { Clock } from "../time/clock.ts";
import type { Delivery } from "../records/delivery.ts";
import { type PayinStatus, statusWhenDue, type Transaction } from "../records/transaction.ts";
import type { Change, Put, Records } from "../state/records.ts";

/** What happens to a record, or for a delivery, at a time. */
export const DUE_TASKS = [
  "payin_expires",
  "payin_cancels",
  "payout_completes",
  "payout_cancels",
  "attempt",
] as const;

/** A task that the clock will run. */
export interface DueTask {
  readonly atMs: number;
  readonly kind: (typeof DUE_TASKS)[number];
  /** Of the payin, the payout or the delivery. */
  readonly id: string;
  readonly integration: string;
}

/** How many due tasks run, and how many transactions one commit settles, before waiting calls have their turn. */
export const DUE_AT_ONCE = 500;

type Row = Transaction | Delivery;

interface DueTasksParts {
  readonly clock: Clock;
  readonly records: Records;
  /** Starts the next attempt of a delivery. */
  readonly start: (delivery: Delivery) => void;
  /** Settles a transaction at a time. @returns the change to commit */
  readonly settle: (transaction: Transaction, status: PayinStatus, atMs: number) => Change;
  readonly commit: (change: Change) => void;
}

/** What happens by itself: payins expire, payouts complete, both can be canceled, deliveries are attempted. */
export class DueTasks {
  readonly #parts: DueTasksParts;
  /** Entries of records that have changed since stay until they are due. */
  #queue = new DueQueue();
  /** By address: the reordered webhook that leaves after the next one. */
  readonly #reordered = new Map<string, string>();
  /** How many attempts have begun because they were due. */
  started = 0;
  /** Called when a task is added that is due before all others. */
  onEarlier: (() => void) | undefined;

  constructor(parts: DueTasksParts) {
    this.#parts = parts;
  }

  /** The next due time; infinite if nothing is due. */
  get nextMs(): number {
    return this.#queue.first?.dueMs ?? Number.POSITIVE_INFINITY;
  }

  /** Begins anew with the records: entries of removed records would pile up. */
  refill(): void {
    const { transactions, deliveries } = this.#parts.records;
    this.#queue = new DueQueue();
    this.#reordered.clear();
    for (const row of transactions.all()) this.#add(row);
    for (const row of deliveries.all()) this.#add(row);
  }

  /** Adds what is due because of a change. */
  add(change: Change): void {
    for (const [table, row] of change)
      if ((table === "transactions" || table === "deliveries") && row) this.#add(row);
  }

  /** The next task of an integration, or of all (`null`), by a search; undefined if there is none. */
  next(integration: string | null): DueTask | undefined {
    const isOwn = (row: Row): boolean =>
      integration === null || recordOf(row).integration === integration;
    const entry = this.#queue.find((one) => {
      const found = this.#rowOf(one);
      return found !== undefined && isOwn(found);
    });
    const row = entry && this.#rowOf(entry);
    if (!row) return undefined;
    const { id, integration: owner } = recordOf(row);
    return { atMs: entry.dueMs, kind: kindOf(row), id, integration: owner };
  }

  /**
   * Runs the tasks that are due now: all, or the first `limit`. Each has the time at which it was due.
   * @throws StorageError if the store refuses a change; its tasks stay due
   */
  run(limit = Number.POSITIVE_INFINITY): void {
    const nowMs = this.#parts.clock.nowMs();
    for (let left = limit; left > 0;) {
      const next = this.#first(nowMs);
      const row = next && this.#rowOf(next);
      if (!row) return;
      left -= "attempts" in row ? this.#start(row) : this.#settle(nowMs, left);
    }
  }

  /** Settles the transactions that are due before the next attempt, in one commit. @returns how many */
  #settle(nowMs: number, limit: number): number {
    const { records, settle, commit } = this.#parts;
    // What one webhook does to a fault decides about the next webhook.
    const most = records.faults.size > 0 ? 1 : Math.min(limit, DUE_AT_ONCE);
    const settled: Transaction[] = [];
    const change: Put[] = [];
    for (let next = this.#first(nowMs); next && settled.length < most; next = this.#first(nowMs)) {
      const row = this.#rowOf(next);
      if (!row || "attempts" in row) break;
      this.#queue.take();
      settled.push(row);
      change.push(...settle(row, statusWhenDue(row), next.dueMs));
    }
    try {
      commit(change);
    } catch (error) {
      for (const row of settled) this.#add(row);
      throw error;
    }
    return settled.length;
  }

  /** Starts the attempt that is due first, and then the delivery that was reordered behind it. @returns 1 */
  #start(delivery: Delivery): number {
    this.#queue.take();
    this.started++;
    const behind = delivery.attempts.length === 0 ? this.waitingAt(delivery) : undefined;
    if (behind) this.#reordered.delete(addressOf(delivery));
    this.#parts.start(delivery);
    if (behind && behind.id !== delivery.id) this.#parts.start(behind);
    return 1;
  }

  /** The reordered webhook that leaves after the next one to this address, if any. */
  waitingAt(to: Pick<Delivery, "integration" | "url">): Delivery | undefined {
    if (this.#reordered.size === 0) return undefined;
    const waiting = this.#parts.records.deliveries.get(this.#reordered.get(addressOf(to)) ?? "");
    return waiting && isReordered(waiting) ? waiting : undefined;
  }

  #add(row: Row): void {
    if ("attempts" in row && isReordered(row)) this.#reordered.set(addressOf(row), row.id);
    const dueMs = dueMsOf(row);
    if (dueMs === null) return;
    const isEarlier = dueMs < this.nextMs;
    this.#queue.add(dueMs, recordOf(row).id);
    if (isEarlier) this.onEarlier?.();
  }

  /** What is due first, if it is due by then. Drops the entries before it, whose records have changed since. */
  #first(byMs: number): DueEntry | undefined {
    for (;;) {
      const entry = this.#queue.first;
      if (!entry || entry.dueMs > byMs) return undefined;
      if (this.#rowOf(entry)) return entry;
      this.#queue.take();
    }
  }

  /** The record of an entry; undefined if it is not due then any more. */
  #rowOf({ dueMs, id }: DueEntry): Row | undefined {
    const { transactions, deliveries } = this.#parts.records;
    const row = transactions.get(id) ?? deliveries.get(id);
    return row && (dueMsOf(row) ?? Number.POSITIVE_INFINITY) <= dueMs ? row : undefined;
  }
}

function dueMsOf(row: Row): number | null {
  if ("attempts" in row) return row.nextAttemptAtMs;
  // In a state file, somebody may have edited the status alone.
  return row.record.status === "waiting" ? row.dueMs : null;
}

/** The part of a row that has its id and its integration. */
function recordOf(row: Row): { readonly id: string; readonly integration: string } {
  return "attempts" in row ? row : row.record;
}

function kindOf(row: Row): DueTask["kind"] {
  if ("attempts" in row) return "attempt";
  if (row.whenDue) return `${row.kind}_cancels`;
  return row.kind === "payin" ? "payin_expires" : "payout_completes";
}

function isReordered({ fault, status, attempts }: Delivery): boolean {
  return fault === "reorder" && status === "pending" && attempts.length === 0;
}

/** Identifies an address: the same URL of two integrations is two addresses. */
function addressOf({ integration, url }: Pick<Delivery, "integration" | "url">): string {
  return `${integration}\n${url}`;
}

/** The id of what is due at a time. */
export interface DueEntry {
  readonly dueMs: number;
  readonly id: string;
  /** Entries with the same due time keep the order in which they were added. */
  readonly order: number;
}

/** A binary heap of due times. */
export class DueQueue {
  readonly #heap: DueEntry[] = [];
  #added = 0;

  /** What is due first; undefined if the queue is empty. */
  get first(): DueEntry | undefined {
    return this.#heap[0];
  }

  add(dueMs: number, id: string): void {
    const heap = this.#heap;
    const entry = { dueMs, id, order: this.#added++ };
    let at = heap.push(entry) - 1;
    for (let above: number; at > 0; at = above) {
      above = (at - 1) >> 1;
      if (!isBefore(entry, heap[above])) break;
      heap[at] = heap[above] as DueEntry;
    }
    heap[at] = entry;
  }

  /** Removes the first entry. */
  take(): DueEntry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    let at = 0;
    for (let below = 1; ; at = below, below = 2 * at + 1) {
      if (isBefore(heap[below + 1], heap[below])) below++;
      if (!isBefore(heap[below], last)) break;
      heap[at] = heap[below] as DueEntry;
    }
    heap[at] = last;
    return first;
  }

  /** The first entry that is wanted. Searches the whole queue. */
  find(isWanted: (entry: DueEntry) => boolean): DueEntry | undefined {
    let found: DueEntry | undefined;
    for (const entry of this.#heap)
      if ((!found || isBefore(entry, found)) && isWanted(entry)) found = entry;
    return found;
  }
}

function isBefore(one: DueEntry | undefined, other: DueEntry | undefined): boolean {
  if (!one || !other) return false;
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}

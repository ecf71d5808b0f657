import type { Delivery } from "../records/delivery.ts";
import type { Transaction } from "../records/transaction.ts";
import type { Change, Records } from "../state/records.ts";
import type { DeliverySink } from "../state/outbox.ts";
import type { WebhookReorder } from "../state/reorder.ts";

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
  readonly record: Transaction | Delivery;
}

/** Puts tasks into the due queue: payins expire, payouts complete, both can be canceled, deliveries are attempted. */
export class Scheduler {
  readonly #dueQueue: DueQueue;
  readonly #records: Records;
  readonly #reorder: WebhookReorder;
  readonly #deliveries: Pick<DeliverySink, "start">;

  constructor(parts: {
    dueQueue: DueQueue;
    records: Records;
    reorder: WebhookReorder;
    deliveries: Pick<DeliverySink, "start">;
  }) {
    this.#dueQueue = parts.dueQueue;
    this.#records = parts.records;
    this.#reorder = parts.reorder;
    this.#deliveries = parts.deliveries;
  }

  /** Fills the queue anew from the records: entries of removed records would pile up. */
  scheduleAnew(): void {
    this.#dueQueue.clear();
    this.#reorder.clear();
    for (const transaction of this.#records.transactions.all()) this.add(transaction);
    for (const delivery of this.#records.deliveries.all()) this.#addDelivery(delivery);
  }

  /** Adds what is due because of a change. */
  schedule(change: Change): void {
    for (const [table, row] of change) {
      if (row === null) continue;
      if (table === "transactions") this.add(row);
      if (table === "deliveries") this.#addDelivery(row);
    }
  }

  add({ dueMs, record }: Transaction): void {
    if (dueMs !== null) this.#dueQueue.add(dueMs, record.id);
  }

  #addDelivery(delivery: Delivery): void {
    this.#reorder.note(delivery);
    this.returnToQueue(delivery);
  }

  /** The next due time; infinite if nothing is due. */
  get nextDueMs(): number {
    return this.#dueQueue.nextDueMs;
  }

  /** Takes the next entry that is due by `nowMs`; undefined if its record is no longer due. */
  take(nowMs: number): Transaction | Delivery | undefined {
    const id = this.#dueQueue.takeDue(nowMs);
    return id === undefined ? undefined : this.#dueBy(nowMs, id);
  }

  /** The next task of an integration, which needs a search, or of all (`null`); undefined if there is none. */
  next(integration: string | null): DueTask | undefined {
    if (integration !== null)
      return this.#taskOf(
        this.#dueQueue.first(({ dueMs, id }) => {
          const due = this.#dueBy(dueMs, id);
          return due !== undefined && recordOf(due).integration === integration;
        }),
      );
    for (let entry = this.#dueQueue.peek(); entry; entry = this.#dueQueue.peek()) {
      const task = this.#taskOf(entry);
      if (task) return task;
      // Its record has changed since.
      this.#dueQueue.takeDue(entry.dueMs);
    }
    return undefined;
  }

  /** Returns a taken delivery to the queue. */
  returnToQueue({ id, nextAttemptAtMs }: Delivery): void {
    if (nextAttemptAtMs !== null) this.#dueQueue.add(nextAttemptAtMs, id);
  }

  /** The task of an entry; undefined if its record is not due then any more. */
  #taskOf(entry: DueEntry | undefined): DueTask | undefined {
    const record = entry && this.#dueBy(entry.dueMs, entry.id);
    return record && { atMs: entry.dueMs, kind: kindOf(record), record };
  }

  /** The record with this id, if it is due by then. */
  #dueBy(atMs: number, id: string): Transaction | Delivery | undefined {
    const transaction = this.#records.transactions.get(id);
    const delivery = transaction ? undefined : this.#records.deliveries.get(id);
    const dueMs = transaction?.dueMs ?? delivery?.nextAttemptAtMs ?? Number.POSITIVE_INFINITY;
    return dueMs <= atMs ? (transaction ?? delivery) : undefined;
  }

  /** Starts the next attempt of a delivery, and then the delivery that was reordered behind it. */
  start(delivery: Delivery): void {
    this.#deliveries.start(delivery);
    const behind = this.#records.deliveries.get(this.#reorder.takeBehind(delivery.id) ?? "");
    if (behind?.attempts.length === 0) this.#deliveries.start(behind);
  }
}

function kindOf(due: DueTask["record"]): DueTask["kind"] {
  if ("attempts" in due) return "attempt";
  if (due.whenDue) return `${due.kind}_cancels`;
  return due.kind === "payin" ? "payin_expires" : "payout_completes";
}

/** The record of a task, with its id and its integration. */
export function recordOf(due: DueTask["record"]) {
  return "attempts" in due ? due : due.record;
}

interface DueEntry {
  readonly dueMs: number;
  readonly id: string;
  /** Entries with the same due time keep the order in which they were added. */
  readonly order: number;
}

/**
 * A binary heap of due times, each with a record's id. Entries are never removed early: the caller that takes an id
 * checks whether the record is still due.
 */
export class DueQueue {
  readonly #heap: DueEntry[] = [];
  #added = 0;
  /** Called when an entry is added that is due before all others. */
  onEarlier: (() => void) | undefined;

  get size(): number {
    return this.#heap.length;
  }

  /** The next due time; infinite if the queue is empty. */
  get nextDueMs(): number {
    return this.#heap[0]?.dueMs ?? Number.POSITIVE_INFINITY;
  }

  add(dueMs: number, id: string): void {
    const isEarlier = dueMs < this.nextDueMs;
    const entry = { dueMs, id, order: this.#added++ };
    let at = this.#heap.push(entry) - 1;
    for (
      let above = (at - 1) >> 1;
      at > 0 && isBefore(entry, this.#heap[above]);
      above = (at - 1) >> 1
    ) {
      this.#heap[at] = this.#heap[above] as DueEntry;
      at = above;
    }
    this.#heap[at] = entry;
    if (isEarlier) this.onEarlier?.();
  }

  /** Takes the first entry that is due at `nowMs`. */
  takeDue(nowMs: number): string | undefined {
    const first = this.#heap[0];
    if (!first || first.dueMs > nowMs) return undefined;
    const entry = this.#heap.pop() as DueEntry;
    if (this.#heap.length === 0) return first.id;
    for (let at = 0; ;) {
      let below = 2 * at + 1;
      const [left, right] = [this.#heap[below], this.#heap[below + 1]];
      if (right && isBefore(right, left)) below++;
      if (!isBefore(this.#heap[below], entry)) {
        this.#heap[at] = entry;
        return first.id;
      }
      this.#heap[at] = this.#heap[below] as DueEntry;
      at = below;
    }
  }

  /** The first entry, which stays; undefined if the queue is empty. */
  peek(): DueEntry | undefined {
    return this.#heap[0];
  }

  /** The first entry that is wanted. Searches the whole queue. */
  first(isWanted: (entry: DueEntry) => boolean): DueEntry | undefined {
    let first: DueEntry | undefined;
    for (const entry of this.#heap)
      if ((!first || isBefore(entry, first)) && isWanted(entry)) first = entry;
    return first;
  }

  clear(): void {
    this.#heap.length = 0;
  }
}

function isBefore(one: DueEntry | undefined, other: DueEntry | undefined): boolean {
  if (!one || !other) return false;
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}

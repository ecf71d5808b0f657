import type { Delivery } from "../records/delivery.ts";
import type { Payin } from "../records/payin.ts";
import type { Payout } from "../records/payout.ts";
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
  readonly record: Payin | Payout | Delivery;
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
    for (const payin of this.#records.payins.all()) this.add(payin);
    for (const payout of this.#records.payouts.all()) this.add(payout);
    for (const delivery of this.#records.deliveries.all()) this.#addDelivery(delivery);
  }

  /** Adds what is due because of a change. */
  schedule(change: Change): void {
    for (const [table, row] of change) {
      if (row === null) continue;
      if (table === "payins" || table === "payouts") this.add(row);
      if (table === "deliveries") this.#addDelivery(row);
    }
  }

  add(record: Payin | Payout): void {
    const dueMs = dueMsOf(record);
    if (dueMs < Number.POSITIVE_INFINITY) this.#dueQueue.add(dueMs, record.id);
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
  take(nowMs: number): Payin | Payout | Delivery | undefined {
    const id = this.#dueQueue.takeDue(nowMs);
    return id === undefined ? undefined : this.#dueBy(nowMs, id);
  }

  /** The next task of an integration, which needs a search, or of all (`null`); undefined if there is none. */
  next(integration: string | null): DueTask | undefined {
    if (integration !== null)
      return this.#taskOf(
        this.#dueQueue.first(
          ({ dueMs, id }) => this.#dueBy(dueMs, id)?.integration === integration,
        ),
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
  #dueBy(atMs: number, id: string): Payin | Payout | Delivery | undefined {
    const record = this.#records.payins.get(id) ?? this.#records.payouts.get(id);
    if (record) return dueMsOf(record) <= atMs ? record : undefined;
    const delivery = this.#records.deliveries.get(id);
    const dueMs = delivery?.nextAttemptAtMs ?? Number.POSITIVE_INFINITY;
    return dueMs <= atMs ? delivery : undefined;
  }

  /** Starts the next attempt of a delivery, and then the delivery that was reordered behind it. */
  start(delivery: Delivery): void {
    this.#deliveries.start(delivery);
    const behind = this.#records.deliveries.get(this.#reorder.takeBehind(delivery.id) ?? "");
    if (behind?.attempts.length === 0) this.#deliveries.start(behind);
  }
}

function kindOf(record: DueTask["record"]): DueTask["kind"] {
  if ("attempts" in record) return "attempt";
  const isCanceled = isCanceledWhenDue(record);
  if ("expiresAtMs" in record) return isCanceled ? "payin_cancels" : "payin_expires";
  return isCanceled ? "payout_cancels" : "payout_completes";
}

/** When a record is settled automatically; infinite if never, or if it is final. */
export function dueMsOf(record: Payin | Payout): number {
  if (record.status !== "waiting") return Number.POSITIVE_INFINITY;
  const dueMs = "expiresAtMs" in record ? record.expiresAtMs : record.completesAtMs;
  const { cancelsAtMs = Number.POSITIVE_INFINITY } = record;
  return Math.min(dueMs ?? Number.POSITIVE_INFINITY, cancelsAtMs);
}

/** Whether it is canceled when it becomes due, rather than expired or completed. */
export function isCanceledWhenDue(record: Payin | Payout): boolean {
  return record.cancelsAtMs !== undefined && record.cancelsAtMs === dueMsOf(record);
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

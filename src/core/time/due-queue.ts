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

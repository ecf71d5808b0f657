export interface DueEntry {
  readonly dueMs: number;
  /** A record's id. */
  readonly id: string;
}

/**
 * A binary heap of due times, each with a record's id.
 *
 * Entries with the same due time keep the order in which they were added. Entries are never removed
 * early: the caller that takes an id checks whether the record is still due.
 */
export class DueQueue {
  readonly #dueMs: number[] = [];
  readonly #order: number[] = [];
  readonly #ids: string[] = [];
  #added = 0;
  /** Called when an entry is added that is due before all others. */
  onEarlier: (() => void) | undefined;

  get size(): number {
    return this.#ids.length;
  }

  /** The next due time; infinite if the queue is empty. */
  get nextDueMs(): number {
    return this.#dueMs[0] ?? Number.POSITIVE_INFINITY;
  }

  add(dueMs: number, id: string): void {
    const isEarlier = dueMs < this.nextDueMs;
    this.#place(this.#ids.length, dueMs, this.#added++, id, true);
    if (isEarlier) this.onEarlier?.();
  }

  /** Takes the first entry that is due at `nowMs`. */
  takeDue(nowMs: number): string | undefined {
    if (this.nextDueMs > nowMs) return undefined;
    const first = this.#ids[0];
    const dueMs = this.#dueMs.pop();
    const order = this.#order.pop();
    const id = this.#ids.pop();
    if (this.#ids.length > 0) this.#place(0, dueMs ?? 0, order ?? 0, id ?? "", false);
    return first;
  }

  /** The first entry, which stays; undefined if the queue is empty. */
  peek(): DueEntry | undefined {
    return this.#entryAt(0);
  }

  /** The first entry that is wanted. Searches the whole queue. */
  first(isWanted: (entry: DueEntry) => boolean): DueEntry | undefined {
    let first = -1;
    for (let index = 0; index < this.#ids.length; index++) {
      const isLater =
        first >= 0 && !this.#isEarlier(index, this.#dueMs[first] ?? 0, this.#order[first] ?? 0);
      if (isLater) continue;
      const entry = this.#entryAt(index);
      if (entry && isWanted(entry)) first = index;
    }
    return this.#entryAt(first);
  }

  clear(): void {
    this.#dueMs.length = 0;
    this.#order.length = 0;
    this.#ids.length = 0;
  }

  #entryAt(index: number): DueEntry | undefined {
    const [dueMs, id] = [this.#dueMs[index], this.#ids[index]];
    return dueMs === undefined || id === undefined ? undefined : { dueMs, id };
  }

  /** Moves an entry up from the end, or down from the top, to its place. */
  #place(start: number, dueMs: number, order: number, id: string, isRising: boolean): void {
    let hole = start;
    for (;;) {
      const next = isRising ? (hole - 1) >> 1 : this.#earlierChild(hole);
      if (next < 0 || next >= this.#ids.length) break;
      if (isRising ? this.#isEarlier(next, dueMs, order) : !this.#isEarlier(next, dueMs, order))
        break;
      this.#set(hole, this.#dueMs[next] ?? 0, this.#order[next] ?? 0, this.#ids[next] ?? "");
      hole = next;
    }
    this.#set(hole, dueMs, order, id);
  }

  #earlierChild(parent: number): number {
    const left = 2 * parent + 1;
    const right = left + 1;
    return right < this.#ids.length &&
      this.#isEarlier(right, this.#dueMs[left] ?? 0, this.#order[left] ?? 0)
      ? right
      : left;
  }

  #isEarlier(index: number, dueMs: number, order: number): boolean {
    const difference = (this.#dueMs[index] ?? 0) - dueMs;
    return difference < 0 || (difference === 0 && (this.#order[index] ?? 0) < order);
  }

  #set(index: number, dueMs: number, order: number, id: string): void {
    this.#dueMs[index] = dueMs;
    this.#order[index] = order;
    this.#ids[index] = id;
  }
}

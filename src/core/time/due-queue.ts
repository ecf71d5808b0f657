/**
 * What falls due next: a binary heap of due times, each with the id of what is due.
 *
 * Two due at the same time come in the order in which they were added. Nothing is ever taken out
 * early: whoever takes an id looks whether it is still due.
 */
export class DueQueue {
  readonly #dueMs: number[] = [];
  readonly #order: number[] = [];
  readonly #ids: string[] = [];
  #added = 0;
  /** Called when something is added that is due before all the rest. */
  onEarlier: (() => void) | undefined;

  get size(): number {
    return this.#ids.length;
  }

  /** When the next one is due; infinite where nothing is. */
  get nextDueMs(): number {
    return this.#dueMs[0] ?? Number.POSITIVE_INFINITY;
  }

  add(dueMs: number, id: string): void {
    const isEarlier = dueMs < this.nextDueMs;
    this.#place(this.#ids.length, dueMs, this.#added++, id, true);
    if (isEarlier) this.onEarlier?.();
  }

  /** Takes out the first that is due at `nowMs`. */
  takeDue(nowMs: number): string | undefined {
    if (this.nextDueMs > nowMs) return undefined;
    const first = this.#ids[0];
    const dueMs = this.#dueMs.pop();
    const order = this.#order.pop();
    const id = this.#ids.pop();
    if (this.#ids.length > 0) this.#place(0, dueMs ?? 0, order ?? 0, id ?? "", false);
    return first;
  }

  clear(): void {
    this.#dueMs.length = 0;
    this.#order.length = 0;
    this.#ids.length = 0;
  }

  /** Lets an entry rise from the end or sink from the top to where it belongs. */
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

/** A first-in, first-out queue; taking an item takes constant time. */
export class Queue<Item> {
  #items: Item[] = [];
  #taken = 0;

  get size(): number {
    return this.#items.length - this.#taken;
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  /** All items, oldest first. */
  all(): Item[] {
    return this.#items.slice(this.#taken);
  }

  take(): Item | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#taken++];
    if (this.#taken > MIN_TAKEN && this.#taken * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }
}

const MIN_TAKEN = 1024;

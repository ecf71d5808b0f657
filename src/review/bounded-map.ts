/** A map that drops its oldest entry when it is full. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;
  readonly #onDrop: ((key: Key, value: Value) => void) | undefined;
  /** Continues after the entries that were dropped: a search from the start would pass all their places. */
  #oldest: MapIterator<[Key, Value]> | undefined;

  constructor(max: number, onDrop?: (key: Key, value: Value) => void) {
    super();
    this.#max = max;
    this.#onDrop = onDrop;
  }

  /** A new entry is the newest; one that is set again stays where it is. */
  override set(key: Key, value: Value): this {
    super.set(key, value);
    if (this.size > this.#max) this.dropOldest();
    return this;
  }

  dropOldest(): void {
    let next = this.#oldest?.next();
    // An iterator that has ended does not go on.
    if (!next || next.done) {
      this.#oldest = this.entries();
      next = this.#oldest.next();
    }
    if (next.done) return;
    const [key, value] = next.value;
    this.delete(key);
    this.#onDrop?.(key, value);
  }
}

/** A map that drops its oldest entry when it is full. For few entries: finding the oldest takes time. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;
  readonly #onDrop: ((key: Key, value: Value) => void) | undefined;

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
    for (const [key, value] of this) {
      this.delete(key);
      this.#onDrop?.(key, value);
      return;
    }
  }
}

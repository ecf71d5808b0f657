/**
 * A map of the newest entries, cheap enough for every call: it consists of two halves, and drops the older one
 * as a whole when the newer one is full.
 */
export class RecentMap<Value> {
  readonly #half: number;
  #older = new Map<string, Value>();
  #newer = new Map<string, Value>();

  /** @param max how many entries it stores at most; at least half of them are stored */
  constructor(max: number) {
    this.#half = max / 2;
  }

  get size(): number {
    return this.#older.size + this.#newer.size;
  }

  get(key: string): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  /** A new entry, or one that is set again, is one of the newer ones. */
  set(key: string, value: Value): void {
    this.#newer.set(key, value);
    if (this.#newer.size < this.#half) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  delete(key: string): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }

  /** Deletes the entries whose key begins with a text; all of them without one. */
  clear(prefix = ""): void {
    for (const half of [this.#older, this.#newer])
      for (const key of half.keys()) if (key.startsWith(prefix)) half.delete(key);
  }
}

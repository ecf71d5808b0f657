/**
 * A map from texts, split into many small maps. One map of a million entries blocks everything for a tenth
 * of a second when it grows; small maps grow one after another.
 */
export class TextMap<Value> {
  readonly #parts: (Map<string, Value> | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): Value | undefined {
    return this.#parts[partOf(key)]?.get(key);
  }

  set(key: string, value: Value): void {
    const part = (this.#parts[partOf(key)] ??= new Map<string, Value>());
    const before = part.size;
    part.set(key, value);
    this.#size += part.size - before;
  }

  delete(key: string): void {
    if (this.#parts[partOf(key)]?.delete(key)) this.#size--;
  }
}

/** A power of two. */
const PARTS = 64;

/** Hashes the end and the middle: ids and keys mostly differ there. */
function partOf(key: string): number {
  const { length } = key;
  const mixed =
    key.charCodeAt(length - 1) + 7 * key.charCodeAt(length - 2) + 31 * key.charCodeAt(length >> 1);
  return mixed & (PARTS - 1);
}

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

/** There are 2 ** 6 parts. */
const PART_BITS = 6;

/** The number of the part that holds a key. Hashes the end and the middle: ids and keys mostly differ there. */
export function partOf(key: string): number {
  const { length } = key;
  const ends = key.charCodeAt(length - 1) + (key.charCodeAt(length - 2) << 7);
  // The middle of a UUID is a hyphen.
  const mixed = ends + (key.charCodeAt(length - 3) << 14) + (key.charCodeAt(length >> 1) << 21);
  return Math.imul(mixed, 0x9e3779b1) >>> (32 - PART_BITS);
}

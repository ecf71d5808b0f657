import { type Page, type PageRequest, readPage } from "./page.ts";

/** Rows by key, in the order in which they were first put. A lookup and a page cost only what they return. */
export class Table<Row> {
  readonly #keyOf: (row: Row) => string;
  readonly #ownerOf: (row: Row) => string;
  /** The number of rows of each owner. */
  readonly #counts = new Map<string, number>();
  /** A removed row leaves a gap, so that all others keep their places. */
  #rows: (Row | undefined)[] = [];
  /** The place of the first of `#rows`: gaps before it are removed from time to time. */
  #first = 0;
  #leadingGaps = 0;
  readonly #places = new TextMap<number>();

  /** @param ownerOf the owner of a row, which never changes */
  constructor(keyOf: (row: Row) => string, ownerOf: (row: Row) => string = () => "") {
    this.#keyOf = keyOf;
    this.#ownerOf = ownerOf;
  }

  get size(): number {
    return this.#places.size;
  }

  /** The number of rows of one owner, or of all (`null`). */
  sizeOf(owner: string | null): number {
    return owner === null ? this.size : (this.#counts.get(owner) ?? 0);
  }

  get(key: string): Row | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.at(place);
  }

  /** The row at a place, counted from 0 in the order in which rows were first put; undefined if it was removed or does not exist yet. */
  at(place: number): Row | undefined {
    return this.#rows[place - this.#first];
  }

  placeOf(key: string): number | undefined {
    return this.#places.get(key);
  }

  /** The place of the next new row. */
  get end(): number {
    return this.#first + this.#rows.length;
  }

  /** Adds a row, or replaces the one with its key. @returns the replaced row. */
  put(row: Row): Row | undefined {
    const key = this.#keyOf(row);
    const place = this.#places.get(key);
    if (place === undefined) {
      this.#places.set(key, this.end);
      this.#rows.push(row);
      count(this.#counts, this.#ownerOf(row), 1);
      return undefined;
    }
    const before = this.at(place);
    this.#rows[place - this.#first] = row;
    return before;
  }

  /** @returns the removed row. */
  remove(key: string): Row | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const row = this.at(place);
    this.#places.delete(key);
    if (row !== undefined) count(this.#counts, this.#ownerOf(row), -1);
    this.#rows[place - this.#first] = undefined;
    while (this.#rows.length > 0 && this.#rows.at(-1) === undefined) this.#rows.pop();
    this.#removeLeadingGaps();
    return row;
  }

  /** A new table with the rows that `remains` accepts, in the same order. */
  only(remains: (row: Row) => boolean): Table<Row> {
    const table = new Table(this.#keyOf, this.#ownerOf);
    for (const row of this.each()) if (remains(row)) table.put(row);
    return table;
  }

  /** A list of all rows as they are now. */
  all(): Row[] {
    return this.size === this.#rows.length
      ? (this.#rows.slice() as Row[])
      : this.#rows.filter((row) => row !== undefined);
  }

  /** Iterates over the rows in order, without a list of all. */
  *each(): Generator<Row> {
    for (const row of this.#rows) if (row !== undefined) yield row;
  }

  /** The newest row that `isWanted` accepts. */
  newest(isWanted: (row: Row) => boolean): Row | undefined {
    return this.#rows.findLast((row) => row !== undefined && isWanted(row));
  }

  /** A page of the rows that `isWanted` accepts; undefined if the requested key does not exist. */
  page(request: PageRequest, isWanted: (row: Row) => boolean): Page<Row> | undefined {
    const list = {
      first: this.#first,
      last: this.end - 1,
      at: (place: number) => this.at(place),
      placeOf: (key: string) => this.placeOf(key),
      keyOf: this.#keyOf,
    };
    return readPage(list, request, isWanted);
  }

  #removeLeadingGaps(): void {
    while (this.#leadingGaps < this.#rows.length && this.#rows[this.#leadingGaps] === undefined)
      this.#leadingGaps++;
    this.#leadingGaps = Math.min(this.#leadingGaps, this.#rows.length);
    if (this.#leadingGaps <= MIN_GAPS || this.#leadingGaps * 2 <= this.#rows.length) return;
    this.#rows = this.#rows.slice(this.#leadingGaps);
    this.#first += this.#leadingGaps;
    this.#leadingGaps = 0;
  }
}

const MIN_GAPS = 1024;

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

/** Adds to the count of a key. A count of 0 is dropped, so that the map does not grow. */
export function count<Key>(counts: Map<Key, number>, key: Key, difference: number): void {
  const total = (counts.get(key) ?? 0) + difference;
  if (total > 0) counts.set(key, total);
  else counts.delete(key);
}

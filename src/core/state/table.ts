import { TextMap } from "./text-map.ts";

/** Rows by key, in the order in which they first came: a lookup and a page each cost what they return. */
export class Table<Row> {
  readonly #keyOf: (row: Row) => string;
  /** A row that was removed leaves a gap, so that all others stay where they are. */
  #rows: (Row | undefined)[] = [];
  /** The place of the first of `#rows`: gaps at the beginning are given up now and then. */
  #first = 0;
  #leadingGaps = 0;
  readonly #places = new TextMap<number>();

  constructor(keyOf: (row: Row) => string) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#places.size;
  }

  get(key: string): Row | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.at(place);
  }

  /** The row at a place, counted from 0 as rows first came; undefined where it is gone or has not come. */
  at(place: number): Row | undefined {
    return this.#rows[place - this.#first];
  }

  /** Puts a row in, in place of the one with its key, which is the answer. */
  put(row: Row): Row | undefined {
    const key = this.#keyOf(row);
    const place = this.#places.get(key);
    if (place === undefined) {
      this.#places.set(key, this.#first + this.#rows.push(row) - 1);
      return undefined;
    }
    const before = this.at(place);
    this.#rows[place - this.#first] = row;
    return before;
  }

  /** @returns the row that was there. */
  remove(key: string): Row | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const row = this.at(place);
    this.#places.delete(key);
    this.#rows[place - this.#first] = undefined;
    while (this.#rows.length > 0 && this.#rows.at(-1) === undefined) this.#rows.pop();
    this.#giveUpLeadingGaps();
    return row;
  }

  /** A table of the rows that are `isKept`, in the same order; this one stays as it is. */
  only(isKept: (row: Row) => boolean): Table<Row> {
    const kept = new Table(this.#keyOf);
    for (const row of this.each()) if (isKept(row)) kept.put(row);
    return kept;
  }

  /** All rows, as they are now: what changes later does not change the list. */
  all(): Row[] {
    return this.size === this.#rows.length
      ? (this.#rows.slice() as Row[])
      : this.#rows.filter((row) => row !== undefined);
  }

  /** The rows in order, one at a time: for a look at all of them without a list of all. */
  *each(): Generator<Row> {
    for (const row of this.#rows) if (row !== undefined) yield row;
  }

  /** The newest row that `isWanted`. */
  newest(isWanted: (row: Row) => boolean): Row | undefined {
    return this.#rows.findLast((row) => row !== undefined && isWanted(row));
  }

  /** Up to `limit` rows that `isWanted`, from behind the one with the key `after`; undefined where there is no such key. */
  page(
    limit: number,
    after: string | undefined,
    isWanted: (row: Row) => boolean,
  ): Page<Row> | undefined {
    const start = after === undefined ? -1 : this.#places.get(after);
    if (start === undefined) return undefined;
    const rows: Row[] = [];
    for (let index = Math.max(0, start + 1 - this.#first); index < this.#rows.length; index++) {
      const row = this.#rows[index];
      if (row === undefined || !isWanted(row)) continue;
      const last = rows.at(-1);
      if (rows.length === limit)
        return { rows, next: last === undefined ? null : this.#keyOf(last) };
      rows.push(row);
    }
    return { rows, next: null };
  }

  #giveUpLeadingGaps(): void {
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

/** A part of a table, and what to ask for the part behind it with; null at the end. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

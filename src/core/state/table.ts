import { type Page, type PageRequest, readPage } from "./page.ts";

/** Rows by key, in the order in which they were first set. A look-up and a page cost only what they return. */
export class Table<Row> {
  /** A removed row leaves a gap, so that all others keep their places. */
  #rows: (Row | undefined)[] = [];
  readonly #places = new Map<string, number>();

  get size(): number {
    return this.#places.size;
  }

  get(key: string): Row | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#rows[place];
  }

  /** The row at a place; undefined if it was removed. Places change only when rows are removed. */
  at(place: number): Row | undefined {
    return this.#rows[place];
  }

  /** Adds a row, or replaces the one with its key. @returns the replaced row */
  set(key: string, row: Row): Row | undefined {
    const place = this.#places.get(key);
    if (place === undefined) {
      this.#places.set(key, this.#rows.length);
      this.#rows.push(row);
      return undefined;
    }
    const before = this.#rows[place];
    this.#rows[place] = row;
    return before;
  }

  /** @returns the removed row */
  delete(key: string): Row | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const row = this.#rows[place];
    this.#places.delete(key);
    if (place === this.#rows.length - 1) this.#rows.pop();
    else this.#rows[place] = undefined;
    if (this.#rows.length > MIN_ROWS && this.#rows.length > 2 * this.size) this.#closeGaps();
    return row;
  }

  /** All rows as they are now. */
  all(): Row[] {
    return this.#rows.filter((row) => row !== undefined);
  }

  /** The newest row that `isWanted` accepts. */
  newest(isWanted: (row: Row) => boolean): Row | undefined {
    return this.#rows.findLast((row) => row !== undefined && isWanted(row));
  }

  /** A page of the rows that are `isOwn`; see {@link readPage}. */
  page(
    request: PageRequest,
    keyOf: (row: Row) => string,
    isOwn: (row: Row) => boolean,
    isWanted?: (row: Row) => boolean,
  ): Page<Row> | undefined {
    const placeOf = (key: string): number | undefined => this.#places.get(key);
    return readPage({ rows: this.#rows, keyOf, placeOf, isOwn, isWanted }, request);
  }

  #closeGaps(): void {
    const keys = [...this.#places].toSorted(([, one], [, other]) => one - other);
    this.#rows = this.all();
    for (const [place, [key]] of keys.entries()) this.#places.set(key, place);
  }
}

const MIN_ROWS = 1024;

/** Adds to the count of a key. A count of 0 is dropped, so that the map does not grow. */
export function count<Key>(counts: Map<Key, number>, key: Key, difference: number): void {
  const total = (counts.get(key) ?? 0) + difference;
  if (total > 0) counts.set(key, total);
  else counts.delete(key);
}

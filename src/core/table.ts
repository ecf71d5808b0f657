/** Rows by key, in the order in which they first came: a lookup and a page each cost what they return. */
export class Table<Row> {
  readonly #keyOf: (row: Row) => string;
  readonly #rows: Row[] = [];
  readonly #positions = new Map<string, number>();

  constructor(keyOf: (row: Row) => string) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#rows.length;
  }

  get(key: string): Row | undefined {
    const position = this.#positions.get(key);
    return position === undefined ? undefined : this.#rows[position];
  }

  /** Puts a row in, in place of the one with its key, which is the answer. */
  put(row: Row): Row | undefined {
    const key = this.#keyOf(row);
    const position = this.#positions.get(key);
    if (position === undefined) {
      this.#positions.set(key, this.#rows.push(row) - 1);
      return undefined;
    }
    const before = this.#rows[position];
    this.#rows[position] = row;
    return before;
  }

  clear(): void {
    this.#rows.length = 0;
    this.#positions.clear();
  }

  all(): readonly Row[] {
    return this.#rows;
  }

  /** Up to `limit` rows that `isWanted`, from behind the one with the key `after`; undefined where there is no such key. */
  page(
    limit: number,
    after: string | undefined,
    isWanted: (row: Row) => boolean,
  ): Page<Row> | undefined {
    const start = after === undefined ? -1 : this.#positions.get(after);
    if (start === undefined) return undefined;
    const rows: Row[] = [];
    for (let position = start + 1; position < this.#rows.length; position++) {
      const row = this.#rows[position] as Row;
      if (!isWanted(row)) continue;
      const last = rows.at(-1);
      if (rows.length === limit)
        return { rows, next: last === undefined ? null : this.#keyOf(last) };
      rows.push(row);
    }
    return { rows, next: null };
  }
}

/** A part of a table, and what to ask for the part behind it with; null at the end. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

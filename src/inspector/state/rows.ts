import { signal } from "@preact/signals";

/** How many rows of a kind the page holds; the oldest ones are dropped, and loaded again when needed. */
export const MAX_ROWS = 20_000;

/**
 * The newest rows of one kind, by id. Changes of one animation frame are shown together: call {@link show} once
 * after them.
 */
export class Rows<Row> {
  /** Grows with each change; whatever reads it is drawn again. */
  readonly version = signal(0);
  /** How many rows the sandbox has; at least as many as are here. */
  readonly total = signal(0);
  /** Whether the sandbox has older rows that are not here. */
  readonly hasOlder = signal(false);
  /** How many newest rows were added since the page was opened. */
  added = 0;
  readonly #idOf: (row: Row) => string;
  readonly #maxRows: number;
  readonly #byId = new Map<string, Row>();
  /** Oldest first, so that a new row is appended. */
  #ids: string[] = [];

  constructor(idOf: (row: Row) => string, maxRows = MAX_ROWS) {
    this.#idOf = idOf;
    this.#maxRows = maxRows;
  }

  get size(): number {
    return this.#ids.length;
  }

  get(id: string): Row | undefined {
    return this.#byId.get(id);
  }

  /** The row at a place, from the newest (0) on. */
  at(index: number): Row | undefined {
    return this.#byId.get(this.#ids[this.#ids.length - 1 - index] ?? "");
  }

  /** The rows from the newest on. */
  *[Symbol.iterator](): Generator<Row, undefined> {
    for (let index = 0; index < this.#ids.length; index++) yield this.at(index) as Row;
  }

  /** Adds a row, or replaces the one with its id. */
  put(row: Row): void {
    const id = this.#idOf(row);
    if (!this.#byId.has(id)) {
      this.#ids.push(id);
      this.added++;
      this.total.value++;
    }
    this.#byId.set(id, row);
    // A tenth at once: dropping one row at a time would move all others each time.
    if (this.#ids.length > this.#maxRows * 1.1) this.#dropOldest(this.#ids.length - this.#maxRows);
  }

  remove(id: string): void {
    if (!this.#byId.delete(id)) return;
    this.#ids = this.#ids.filter((one) => one !== id);
    this.total.value--;
  }

  /** Replaces all rows. @param newestFirst as a route lists them */
  replace(newestFirst: readonly Row[], total: number, hasOlder: boolean): void {
    this.#byId.clear();
    for (const row of newestFirst) this.#byId.set(this.#idOf(row), row);
    this.#ids = newestFirst.map(this.#idOf).toReversed();
    this.total.value = Math.max(total, this.#ids.length);
    this.hasOlder.value = hasOlder;
    this.show();
  }

  /** Adds rows that are older than all rows here. */
  addOlder(newestFirst: readonly Row[], hasOlder: boolean): void {
    const added = newestFirst.filter((row) => !this.#byId.has(this.#idOf(row)));
    for (const row of added) this.#byId.set(this.#idOf(row), row);
    this.#ids = [...added.map(this.#idOf).toReversed(), ...this.#ids];
    this.hasOlder.value = hasOlder;
    this.total.value = Math.max(this.total.value, this.#ids.length);
    this.show();
  }

  /** The id of the oldest row. */
  get oldestId(): string | undefined {
    return this.#ids[0];
  }

  /** Draws the changes since the last call. */
  show(): void {
    this.version.value++;
  }

  #dropOldest(count: number): void {
    for (const id of this.#ids.splice(0, count)) this.#byId.delete(id);
    this.hasOlder.value = true;
  }
}

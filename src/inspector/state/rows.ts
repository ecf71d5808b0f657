import { signal } from "@preact/signals";

/** How many rows of a kind the page holds as new ones arrive; the oldest ones are dropped. */
export const MAX_ROWS = 5000;
/** How many rows of a kind the page holds if the user scrolls to older ones. */
export const MAX_LOADED = 20_000;
/** The list of ids is shortened by so many at once, since that moves all others. */
const DROPPED_AT_ONCE = 1000;

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
  /** Whether older rows are loading: until they are here, no row is dropped. */
  isLoadingOlder = false;
  /** How many newest rows were added since the page was opened. */
  added = 0;
  readonly #idOf: (row: Row) => string;
  readonly #byId = new Map<string, Row>();
  /** Oldest first, so that a new row is appended. */
  #ids: string[] = [];
  /** How many ids at the beginning are those of dropped rows. */
  #dropped = 0;
  readonly #minRows: number;
  /** Grows with the older rows that the user has scrolled to. */
  #maxRows: number;

  /** @param maxRows how many rows stay if the user scrolls to no others */
  constructor(idOf: (row: Row) => string, maxRows = MAX_ROWS) {
    this.#idOf = idOf;
    this.#minRows = maxRows;
    this.#maxRows = maxRows;
  }

  get size(): number {
    return this.#ids.length - this.#dropped;
  }

  /** Whether the page holds as many rows as it can. */
  get isFull(): boolean {
    return this.size >= MAX_LOADED;
  }

  get(id: string): Row | undefined {
    return this.#byId.get(id);
  }

  /** The row at a place, from the newest (0) on. */
  at(index: number): Row | undefined {
    return index < this.size ? this.#byId.get(this.#ids.at(-1 - index) ?? "") : undefined;
  }

  /** The rows from the newest on. */
  *[Symbol.iterator](): Generator<Row, undefined> {
    for (let index = 0; index < this.size; index++) yield this.at(index) as Row;
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
    if (!this.isLoadingOlder) while (this.size > this.#maxRows) this.#dropOldest();
  }

  remove(id: string): void {
    if (!this.#byId.delete(id)) return;
    this.#ids = this.#heldIds.filter((one) => one !== id);
    this.#dropped = 0;
    this.total.value--;
  }

  /** Replaces all rows. @param newestFirst as a route lists them */
  replace(newestFirst: readonly Row[], total: number, hasOlder: boolean): void {
    this.#byId.clear();
    for (const row of newestFirst) this.#byId.set(this.#idOf(row), row);
    this.#ids = newestFirst.map(this.#idOf).toReversed();
    this.#dropped = 0;
    this.#maxRows = this.#minRows;
    this.total.value = Math.max(total, this.size);
    this.hasOlder.value = hasOlder;
    this.show();
  }

  /** Adds rows that are older than all rows here. */
  addOlder(newestFirst: readonly Row[], hasOlder: boolean): void {
    const added = newestFirst.filter((row) => !this.#byId.has(this.#idOf(row)));
    for (const row of added) this.#byId.set(this.#idOf(row), row);
    this.#ids = [...added.map(this.#idOf).toReversed(), ...this.#heldIds];
    this.#dropped = 0;
    this.#maxRows = Math.max(this.#minRows, this.size);
    this.hasOlder.value = hasOlder;
    this.total.value = Math.max(this.total.value, this.size);
    this.show();
  }

  /** The id of the oldest row. */
  get oldestId(): string | undefined {
    return this.#ids[this.#dropped];
  }

  /** Draws the changes since the last call. */
  show(): void {
    this.version.value++;
  }

  get #heldIds(): string[] {
    return this.#ids.slice(this.#dropped);
  }

  #dropOldest(): void {
    this.#byId.delete(this.oldestId ?? "");
    this.#dropped++;
    if (this.#dropped === DROPPED_AT_ONCE) {
      this.#ids.splice(0, this.#dropped);
      this.#dropped = 0;
    }
    this.hasOlder.value = true;
  }
}

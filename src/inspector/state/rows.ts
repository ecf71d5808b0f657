import { signal } from "@preact/signals";

/** How many rows of a kind the page holds as new ones arrive; the oldest ones are dropped. */
export const MAX_ROWS = 5000;
/** How many rows of a kind the page holds if the user scrolls to older ones. */
export const MAX_LOADED = 20_000;
/** How many changed rows of a kind the page holds that are older than those of its list. */
const MAX_OLDER = 1000;
/** For how long a change is news. */
const NEWS_MS = 3000;
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
  /** Rows that have changed, and are older than all rows here; they take their place when the rows between are loaded. */
  readonly #older = new Map<string, Row>();
  /** When rows changed last, by their ids, the latest at the end; only for a moment. */
  readonly #changes = new Map<string, number>();
  readonly #timeOf: ((row: Row) => string) | undefined;
  readonly #minRows: number;
  /** Grows with the older rows that the user has scrolled to. */
  #maxRows: number;

  /**
   * @param maxRows how many rows stay if the user scrolls to no others
   * @param timeOf when a row was created, as ISO text; without it each row that is not here is a new one
   */
  constructor(
    idOf: (row: Row) => string,
    { maxRows = MAX_ROWS, timeOf }: { maxRows?: number; timeOf?: (row: Row) => string } = {},
  ) {
    this.#idOf = idOf;
    this.#timeOf = timeOf;
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
    return this.#byId.get(id) ?? this.#older.get(id);
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
      if (this.#isOlder(row)) return this.#putOlder(id, row);
      this.#ids.push(id);
      this.added++;
      this.total.value++;
    }
    this.#byId.set(id, row);
    this.#noteChange(id);
    if (!this.isLoadingOlder) while (this.size > this.#maxRows) this.#dropOldest();
  }

  /**
   * Replaces all rows.
   * @param listed newest first, as a route lists them
   * @param newer how many of the newest rows were added while they were read, and stay
   */
  replace(listed: readonly Row[], total: number, hasOlder: boolean, newer = 0): void {
    const ids = new Set(listed.map(this.#idOf));
    const added = Array.from({ length: Math.min(newer, this.size) }, (_, index) => this.at(index));
    const unlisted = (added as Row[]).filter((row) => !ids.has(this.#idOf(row)));
    const newestFirst = [...unlisted, ...listed];
    this.#byId.clear();
    this.#older.clear();
    for (const row of newestFirst) this.#byId.set(this.#idOf(row), row);
    this.#ids = newestFirst.map(this.#idOf).toReversed();
    this.#dropped = 0;
    this.#maxRows = this.#minRows;
    this.total.value = Math.max(total + unlisted.length, this.size);
    this.hasOlder.value = hasOlder;
    this.show();
  }

  /** Adds rows that are older than all rows here. */
  addOlder(newestFirst: readonly Row[], hasOlder: boolean): void {
    const added = newestFirst.filter((row) => !this.#byId.has(this.#idOf(row)));
    for (const row of added) {
      const id = this.#idOf(row);
      // A change can have arrived while the page was loading.
      this.#byId.set(id, this.#older.get(id) ?? row);
      this.#older.delete(id);
    }
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

  /** When a row arrived or changed, by `performance.now()`; -Infinity if that is no news. */
  changedAtMs(id: string): number {
    return this.#changes.get(id) ?? -Infinity;
  }

  /** Draws the changes since the last call. */
  show(): void {
    this.version.value++;
  }

  get #heldIds(): string[] {
    return this.#ids.slice(this.#dropped);
  }

  #noteChange(id: string): void {
    const nowMs = performance.now();
    this.#changes.delete(id);
    this.#changes.set(id, nowMs);
    for (const [other, atMs] of this.#changes) {
      if (atMs > nowMs - NEWS_MS) break;
      this.#changes.delete(other);
    }
  }

  #isOlder(row: Row): boolean {
    const oldest = this.#byId.get(this.oldestId ?? "");
    if (!this.#timeOf || !this.hasOlder.value || oldest === undefined) return false;
    return this.#timeOf(row) < this.#timeOf(oldest);
  }

  #putOlder(id: string, row: Row): void {
    this.#older.delete(id);
    this.#older.set(id, row);
    const [first] = this.#older.keys();
    if (this.#older.size > MAX_OLDER && first !== undefined) this.#older.delete(first);
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

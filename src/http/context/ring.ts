import { count } from "../../core/state/counts.ts";
import { type Page, type PageRequest, readPage } from "../../core/state/page.ts";

/** An entry of a log in memory. */
export interface RingEntry {
  /** From 1 on, in the order of the log. */
  readonly number: number;
  readonly integration: string | null;
}

/** The newest entries of a log, in memory: they are not part of the state. */
export class Ring<Entry extends RingEntry> {
  readonly #keep: number;
  readonly #prefix: string;
  /** Each at its number modulo `#keep`. */
  readonly #entries: (Entry | undefined)[] = [];
  #last = 0;
  #size = 0;
  /** The number of stored entries of each integration. */
  readonly #counts = new Map<string | null, number>();
  readonly #listeners = new Set<(entry: Entry) => void>();

  /**
   * @param keep how many entries it stores
   * @param prefix the beginning of an entry's id; its number follows
   */
  constructor(keep: number, prefix: string) {
    this.#keep = keep;
    this.#prefix = prefix;
  }

  get nextNumber(): number {
    return this.#last + 1;
  }

  /** @param entry with the next number */
  add(entry: Entry): void {
    this.#last = entry.number;
    if (this.#keep > 0) this.#store(entry);
    for (const listener of this.#listeners) listener(entry);
  }

  /** Drops the entries of an integration, or all (`null`). */
  clear(integration: string | null): void {
    for (const [place, entry] of this.#entries.entries())
      if (integration === null || entry?.integration === integration) this.#remove(place);
  }

  /**
   * A page of the entries of an integration, or of all (`null`), that `isWanted` accepts (default: each of them);
   * undefined if it is requested by an id that is not one of the integration's.
   */
  page(
    integration: string | null,
    request: PageRequest,
    isWanted?: (entry: Entry) => boolean,
  ): Page<Entry> | undefined {
    const isOwn = (one: Entry): boolean => integration === null || one.integration === integration;
    const at = (number: number): Entry | undefined => this.#entries[number % this.#keep];
    const list = {
      first: Math.max(1, this.#last - this.#keep + 1),
      last: this.#last,
      at,
      placeOf: (id: string) => {
        const found = at(Number(id.slice(this.#prefix.length)));
        return found && this.#idOf(found) === id && isOwn(found) ? found.number : undefined;
      },
      keyOf: (entry: Entry) => this.#idOf(entry),
    };
    if (isWanted) return readPage(list, request, (one) => isOwn(one) && isWanted(one));
    const page = readPage(list, request, isOwn);
    const total = integration === null ? this.#size : (this.#counts.get(integration) ?? 0);
    return page && { ...page, total };
  }

  /** Calls `listener` with each new entry; the returned function removes it. */
  onEntry(listener: (entry: Entry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #store(entry: Entry): void {
    const place = entry.number % this.#keep;
    this.#remove(place);
    this.#entries[place] = entry;
    count(this.#counts, entry.integration, 1);
    this.#size++;
  }

  #remove(place: number): void {
    const removed = this.#entries[place];
    if (!removed) return;
    this.#entries[place] = undefined;
    count(this.#counts, removed.integration, -1);
    this.#size--;
  }

  #idOf({ number }: Entry): string {
    return `${this.#prefix}${number}`;
  }
}

import { eventsAfter, type Records, type StreamEvent } from "./records.ts";

/** How many events are held for readers that fall behind; further back, they read the records. */
const HELD = 10_000;
const noEvents: readonly StreamEvent[] = [];

/**
 * The one ordered stream of what happened, which inspector, `webhooks tail` and `wait` read.
 *
 * Readers pull: each keeps its own place and asks for what came after it, so that a slow reader
 * costs nothing and misses nothing.
 */
export class Feed {
  readonly #records: Records;
  readonly #listeners = new Set<() => void>();
  /** Two halves, the older dropped when the newer is full. */
  #older: StreamEvent[] = [];
  #newer: StreamEvent[] = [];
  /** All events after this one are held. */
  #heldAfter: number;

  constructor(records: Records) {
    this.#records = records;
    this.#heldAfter = records.lastEventNumber;
  }

  add(events: readonly StreamEvent[]): void {
    for (const event of events) this.#newer.push(event);
    if (this.#newer.length >= HELD) {
      this.#heldAfter = this.#older.at(-1)?.number ?? this.#heldAfter;
      this.#older = this.#newer;
      this.#newer = [];
    }
    for (const listener of this.#listeners) listener();
  }

  /** Up to `limit` events after the one with that number, oldest first. */
  after(number: number, limit: number): readonly StreamEvent[] {
    if (number >= this.#records.lastEventNumber) return noEvents;
    if (number < this.#heldAfter) return eventsAfter(this.#records, number).slice(0, limit);
    const held = this.#older.length > 0 ? [...this.#older, ...this.#newer] : this.#newer;
    const start = held.findIndex((event) => event.number > number);
    return start < 0 ? noEvents : held.slice(start, start + limit);
  }

  /** Calls `listener` whenever there is more to read; the answer stops that. */
  onMore(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

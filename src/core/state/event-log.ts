import type { Change, Records } from "./records.ts";
import { eventsAfter, eventsOf, type StreamEvent } from "./stream-event.ts";

/** How many changes are held, at least, for those who listen; who is further behind reads the records. */
const HELD = 5000;

/**
 * The one ordered stream of what happened, which inspector, `webhooks tail` and `wait` read.
 *
 * Readers pull: each keeps its own place and asks for what came after it, so that a slow reader
 * costs nothing and misses nothing.
 */
export class EventLog {
  readonly #records: Records;
  readonly #listeners = new Set<() => void>();
  /** Two halves, the older dropped when the newer is full. */
  #older: Change[] = [];
  #newer: Change[] = [];
  /** All events after this one are held. */
  #heldAfter: number;

  constructor(records: Records) {
    this.#records = records;
    this.#heldAfter = records.lastEventNumber;
  }

  add(change: Change): void {
    if (this.#listeners.size === 0) return;
    this.#newer.push(change);
    if (this.#newer.length >= HELD) {
      this.#heldAfter = lastNumberOf(this.#older) ?? this.#heldAfter;
      this.#older = this.#newer;
      this.#newer = [];
    }
    for (const listener of this.#listeners) listener();
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#records.lastEventNumber;
  }

  /** Up to `limit` events after the one with that number, oldest first. */
  after(number: number, limit: number): readonly StreamEvent[] {
    if (number >= this.#records.lastEventNumber) return [];
    if (!this.holdsAfter(number)) return eventsAfter(this.#records, number, limit);
    const newestFirst: StreamEvent[] = [];
    // Readers are near the end: from there back to the last event that this one has seen.
    search: for (const changes of [this.#newer, this.#older]) {
      for (let index = changes.length - 1; index >= 0; index--) {
        for (const event of eventsOf(changes[index] as Change).toReversed()) {
          if (event.number <= number) break search;
          newestFirst.push(event);
        }
      }
    }
    return newestFirst.toReversed().slice(0, limit);
  }

  /** Whether all events after the one with that number are held: else only the records tell of them. */
  holdsAfter(number: number): boolean {
    return number >= this.#heldAfter && this.#listeners.size > 0;
  }

  /** Calls `listener` whenever there is more to read; the answer stops that. */
  onMore(listener: () => void): () => void {
    if (this.#listeners.size === 0) this.forgetHeld();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.forgetHeld();
    };
  }

  /** What happened while nobody listened, or what was put back since, is not told from here: the records tell of it. */
  forgetHeld(): void {
    this.#older = [];
    this.#newer = [];
    this.#heldAfter = this.#records.lastEventNumber;
  }
}

function lastNumberOf(changes: readonly Change[]): number | undefined {
  for (let index = changes.length - 1; index >= 0; index--) {
    const last = eventsOf(changes[index] as Change).at(-1);
    if (last) return last.number;
  }
  return undefined;
}

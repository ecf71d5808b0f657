import type { Change, Records } from "./records.ts";
import { eventsAfter, eventsOf, type StreamEvent } from "./stream-event.ts";

/** The least number of recent changes in memory while there are listeners; slower readers use the records. */
const HELD = 5000;

/**
 * The one ordered stream of events, which the event stream, `webhooks tail` and `wait` read.
 *
 * Readers pull: each has its own position and requests the events after it, so that a slow reader
 * costs nothing and misses nothing.
 */
export class EventLog {
  readonly #records: Records;
  readonly #listeners = new Set<() => void>();
  readonly #observers: ((change: Change) => void)[] = [];
  /** Two halves; the older one is dropped when the newer one is full. */
  #older: Change[] = [];
  #newer: Change[] = [];
  /** All events after this number are in memory. */
  #heldAfter: number;

  constructor(records: Records) {
    this.#records = records;
    this.#heldAfter = records.lastEventNumber;
  }

  add(change: Change): void {
    for (const observe of this.#observers) observe(change);
    if (this.#listeners.size === 0) return;
    this.#newer.push(change);
    if (this.#newer.length >= HELD) {
      this.#heldAfter = lastNumberOf(this.#older) ?? this.#heldAfter;
      this.#older = this.#newer;
      this.#newer = [];
    }
    for (const listener of this.#listeners) listener();
  }

  /** Calls `observe` with each change from now on, as soon as it is applied. It costs no memory, and a rollback is not reported. */
  onChange(observe: (change: Change) => void): void {
    this.#observers.push(observe);
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#records.lastEventNumber;
  }

  /** Up to `limit` events after a number, oldest first. */
  after(number: number, limit: number): readonly StreamEvent[] {
    if (number >= this.#records.lastEventNumber) return [];
    if (!this.holdsAfter(number)) return eventsAfter(this.#records, number, limit);
    const newestFirst: StreamEvent[] = [];
    // Searched from the end, since readers are near it.
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

  /** Whether all events after a number are in memory; otherwise they must be read from the records. */
  holdsAfter(number: number): boolean {
    return number >= this.#heldAfter && this.#listeners.size > 0;
  }

  /** Calls `listener` whenever there are new events. @returns a function that stops it */
  onMore(listener: () => void): () => void {
    if (this.#listeners.size === 0) this.forgetHeld();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.forgetHeld();
    };
  }

  /** Drops the events in memory: after a rollback, or without listeners, they must be read from the records. */
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

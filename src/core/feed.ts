import { type Change, eventsAfter, eventsOf, type Records, type StreamEvent } from "./records.ts";

/** How many changes are held, at least, for readers that fall behind; further back, they read the records. */
const HELD = 5000;

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
  #older: Change[] = [];
  #newer: Change[] = [];
  /** All events after this one are held. */
  #heldAfter: number;

  constructor(records: Records) {
    this.#records = records;
    this.#heldAfter = records.lastEventNumber;
  }

  add(change: Change): void {
    this.#newer.push(change);
    if (this.#newer.length >= HELD) {
      this.#heldAfter = lastNumberOf(this.#older) ?? this.#heldAfter;
      this.#older = this.#newer;
      this.#newer = [];
    }
    for (const listener of this.#listeners) listener();
  }

  /** Up to `limit` events after the one with that number, oldest first. */
  after(number: number, limit: number): readonly StreamEvent[] {
    if (number >= this.#records.lastEventNumber) return [];
    if (number < this.#heldAfter) return eventsAfter(this.#records, number).slice(0, limit);
    const events: StreamEvent[] = [];
    // Readers are near the end: from there back to the first event that this one has not seen.
    for (const changes of [this.#newer, this.#older]) {
      for (let index = changes.length - 1; index >= 0; index--) {
        const unseen = eventsOf(changes[index] as Change).filter((event) => event.number > number);
        events.push(...unseen.toReversed());
        if (unseen.length === 0 && hasEvents(changes[index] as Change))
          return events.toReversed().slice(0, limit);
      }
    }
    return events.toReversed().slice(0, limit);
  }

  /** Calls `listener` whenever there is more to read; the answer stops that. */
  onMore(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function hasEvents({ payins, payouts, deliveries }: Change): boolean {
  return Boolean(payins?.length || payouts?.length || deliveries?.length);
}

function lastNumberOf(changes: readonly Change[]): number | undefined {
  for (let index = changes.length - 1; index >= 0; index--) {
    const last = eventsOf(changes[index] as Change).at(-1);
    if (last) return last.number;
  }
  return undefined;
}

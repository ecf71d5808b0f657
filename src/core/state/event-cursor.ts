import type { EventLog } from "./event-log.ts";
import type { StreamEvent } from "./stream-event.ts";

/** How many events a slow reader takes from the records at once. */
const FROM_RECORDS = 10_000;

/** A part of the stream. */
export interface Reading {
  readonly events: readonly StreamEvent[];
  /** A gap before the events: some events with numbers in it were replaced or dropped. */
  readonly missed?: { readonly after: number; readonly upTo: number } | undefined;
}

/**
 * One reader's position in the event log. A reader that keeps up reads from memory; a slow one continues
 * from the records, in parts, and receives the gaps that this leaves.
 */
export class EventCursor {
  readonly #eventLog: EventLog;
  #place: number;
  /** Events from the records that are not read yet, newest first. */
  #taken: StreamEvent[] = [];
  /** The end of the part from the records: its last events may be gone. */
  #takenUpTo = 0;

  /** @param place the number of the last event that the reader has seen */
  constructor(eventLog: EventLog, place: number) {
    this.#eventLog = eventLog;
    this.#place = place;
  }

  /** The number of the last event that was read. */
  get place(): number {
    return this.#place;
  }

  /** The next events, at most `limit`; none if there are no more yet. */
  read(limit: number): Reading {
    if (this.#taken.length > 0) return this.#readTaken(limit);
    if (this.#eventLog.holdsAfter(this.#place))
      return this.#seen(this.#eventLog.after(this.#place, limit));
    const after = this.#place;
    const taken = this.#eventLog.after(after, FROM_RECORDS);
    const upTo =
      taken.length < FROM_RECORDS ? this.#eventLog.last : (taken.at(-1)?.number ?? after);
    this.#taken = taken.toReversed();
    this.#takenUpTo = upTo;
    const isWhole = upTo - after === taken.length;
    const reading = this.#readTaken(limit);
    return isWhole ? reading : { ...reading, missed: { after, upTo } };
  }

  #readTaken(limit: number): Reading {
    const reading = this.#seen(this.#taken.splice(-limit).toReversed());
    if (this.#taken.length === 0) this.#place = this.#takenUpTo;
    return reading;
  }

  #seen(events: readonly StreamEvent[]): Reading {
    this.#place = events.at(-1)?.number ?? this.#place;
    return { events };
  }
}

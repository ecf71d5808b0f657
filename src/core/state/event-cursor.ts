import type { EventLog } from "./event-log.ts";
import type { StreamEvent } from "./stream-event.ts";

/** How many events are taken from the records at once by a reader who is behind what is held. */
const FROM_RECORDS = 10_000;

/** A part of the stream. */
export interface Reading {
  readonly events: readonly StreamEvent[];
  /** Told ahead of the events: of those with numbers in between, some were replaced or dropped since. */
  readonly missed?: { readonly after: number; readonly upTo: number } | undefined;
}

/**
 * One reader's place in the stream. Who keeps up reads what is held; who is behind continues from the
 * records, in parts, and is told where that leaves something out.
 */
export class EventCursor {
  readonly #eventLog: EventLog;
  #place: number;
  /** Taken from the records and not read yet, the newest first. */
  #taken: StreamEvent[] = [];
  /** Where what was taken ends: the last events up to there may be gone. */
  #takenUpTo = 0;

  /** @param place the number of the last event that was seen */
  constructor(eventLog: EventLog, place: number) {
    this.#eventLog = eventLog;
    this.#place = place;
  }

  /** The number of the last event that was read. */
  get place(): number {
    return this.#place;
  }

  /** The next events, at most `limit`; none where there are no more yet. */
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

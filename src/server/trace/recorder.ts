import { type Change, Records } from "../../core/state/records.ts";
import type { Recorded, Step } from "./trace.ts";

/** Beyond these, the oldest steps become part of the start. */
const MAX_STEPS = 10_000;
const FOLDED_AT_ONCE = 1000;

/** Stores the commits of a sandbox for its trace. Rows are immutable, so a step refers to them. */
export class TraceRecorder {
  readonly #records: Records;
  readonly #nowMs: () => number;
  readonly #start = new Records();
  #startMs: number;
  #steps: Step[] = [];

  constructor(records: Records, nowMs: () => number) {
    this.#records = records;
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
    this.#start.apply(records.toChange());
    this.#start.continueAfter(records.lastEventNumber);
  }

  add(change: Change): void {
    this.#steps.push({ at: this.#nowMs(), event: this.#records.lastEventNumber, change });
    if (this.#steps.length < MAX_STEPS + FOLDED_AT_ONCE) return;
    for (const folded of this.#steps.splice(0, FOLDED_AT_ONCE)) {
      this.#start.apply(folded.change);
      this.#start.continueAfter(folded.event);
      this.#startMs = folded.at;
    }
  }

  /** The records before the first step, and the steps. */
  get recorded(): Recorded {
    return { start: stepOf(this.#start, this.#startMs), steps: this.#steps };
  }
}

/** All records as one step. */
export function stepOf(records: Records, at: number): Step {
  return { at, event: records.lastEventNumber, change: records.toChange() };
}

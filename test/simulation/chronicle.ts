import { createHash } from "node:crypto";
import type { SimulatedTime } from "./time.ts";

/** What holds at all times, whatever happens. */
export type Invariant =
  | "an acknowledged record is never lost"
  | "a final status never changes"
  | "one key, one record"
  | "a payin is not paid once it has expired"
  | "at most one payout in progress per receiver"
  | "a webhook tells the final status of its record"
  | "no webhook tells of what is forgotten"
  | "every attempt carries the same id and bytes"
  | "nothing old is sent after a reset"
  | "a reset takes all or nothing"
  | "every final record is told of"
  | "everything comes to rest"
  | "a state can be opened again"
  | "a restart brings the same records"
  | "only refusals are thrown"
  | "no response is older than one before it"
  | "only one process responds"
  | "the journal has no gap"
  | "only another process ends a leadership"
  | "a process leads in the end"
  | "the tables hold the leader's records";

export interface Violation {
  readonly invariant: Invariant;
  readonly what: string;
}

/** How many of the last steps a failure shows. */
const SHOWN = 80;

/** All that can be seen of a run, step by step, and what was met on the way. */
export class Chronicle {
  readonly steps: string[] = [];
  /** The states that are rarely reached. */
  readonly met = new Set<string>();
  violation: Violation | undefined;
  readonly #time: SimulatedTime;
  readonly #seen = createHash("sha256");

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  /** @param detail is part of what can be seen, but too long to be read */
  note(step: string, detail = ""): void {
    const atS = (this.#time.passedMs / 1000).toFixed(4).padStart(9);
    this.steps.push(`${atS} ${step}`);
    this.#seen.update(`${this.#time.passedMs} ${step} ${detail}\n`);
  }

  /** A state is reached that rarely is. */
  meet(what: string): void {
    this.met.add(what);
  }

  /** The first one ends the run. */
  violated(invariant: Invariant, what: string): void {
    this.note(`VIOLATED: ${invariant}: ${what}`);
    this.violation ??= { invariant, what };
  }

  /** Of all that could be seen by now. */
  get digest(): string {
    return this.#seen.copy().digest("hex");
  }

  /** The steps that led here, for people. */
  get ending(): string {
    const left = this.steps.length - SHOWN;
    return [...(left > 0 ? [`… ${left} steps before`] : []), ...this.steps.slice(-SHOWN)].join(
      "\n",
    );
  }
}

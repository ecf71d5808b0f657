import { type Change, Records } from "../../core/state/records.ts";
import { type LoggedRequest, toWireRequest } from "../../http/context/request-log.ts";
import { testNameOf } from "../../wire/own-headers.ts";
import type { Recorded, Step } from "./trace.ts";

/** Beyond these, the oldest steps become part of the start. */
const MAX_STEPS = 10_000;
const FOLDED_AT_ONCE = 1000;
/** Beyond these, the oldest tests have no name of their own. */
const MAX_TESTS = 2000;

/** Where a test began. */
interface Mark {
  readonly id: number;
  /** The value of the header: the name, and what distinguishes this run. */
  readonly value: string;
  readonly integration: string | null;
  /** How many steps were before it, folded ones included. */
  readonly steps: number;
}

/** Stores the commits of a sandbox for its trace. Rows are immutable, so a step refers to them. */
export class TraceRecorder {
  readonly #records: Records;
  readonly #nowMs: () => number;
  readonly #keepRequests: number;
  readonly #start = new Records();
  #startMs: number;
  #steps: Step[] = [];
  #folded = 0;
  #marks: Mark[] = [];
  #lastMark = 0;
  /** The test that each integration is in. */
  readonly #current = new Map<string | null, Mark>();
  #requests: { readonly request: LoggedRequest; readonly test: number | undefined }[] = [];

  constructor(records: Records, nowMs: () => number, keepRequests: number) {
    this.#records = records;
    this.#nowMs = nowMs;
    this.#keepRequests = keepRequests;
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
    this.#folded += FOLDED_AT_ONCE;
  }

  /** Requests outlive a reset, unlike those of the log: a test has its own. */
  addRequest(request: LoggedRequest): void {
    const { integration } = request;
    const test = (this.#current.get(integration) ?? this.#current.get(null))?.id;
    this.#requests.push({ request, test });
    if (this.#requests.length >= 2 * this.#keepRequests)
      this.#requests = this.#requests.slice(-this.#keepRequests);
  }

  /**
   * From now on, an integration (`null`: the whole sandbox) is in a test, until the next one.
   * @param value of the header that names the test
   */
  beginTest(integration: string | null, value: string): void {
    if (this.#current.get(integration)?.value === value) return;
    const steps = this.#folded + this.#steps.length;
    const mark = { id: ++this.#lastMark, value, integration, steps };
    this.#current.set(integration, mark);
    this.#marks.push(mark);
    if (this.#marks.length > MAX_TESTS) this.#marks.shift();
  }

  /** The id of an integration's test, unless it has not begun. */
  idOf(integration: string | null, value: string | undefined): number | undefined {
    return this.#marks.findLast((one) => one.integration === integration && one.value === value)
      ?.id;
  }

  /** The records before the first step, and what followed. */
  get recorded(): Recorded {
    const place = (steps: number): number => Math.max(0, steps - this.#folded);
    const end = this.#folded + this.#steps.length;
    return {
      start: stepOf(this.#start, this.#startMs),
      steps: this.#steps,
      requests: this.#requests.slice(-this.#keepRequests).map(({ request, test }) => ({
        ...toWireRequest(request),
        ...(test !== undefined && { test }),
      })),
      tests: this.#marks.map(({ id, value, integration, steps }) => {
        const next = this.#marks.find((one) => one.id > id && one.integration === integration);
        const [from, until] = [place(steps), place(next?.steps ?? end)];
        return { id, name: testNameOf(value), integration, from, until };
      }),
    };
  }
}

/** All records as one step. */
export function stepOf(records: Records, at: number): Step {
  return { at, event: records.lastEventNumber, change: records.toChange() };
}

import type { Change } from "../../core/state/records.ts";
import { fromIso } from "../../wire/timestamp.ts";
import { toElementText } from "./page.ts";
import { stepOf } from "./recorder.ts";
import { recordsAt, type Step, timeAt, type Trace } from "./trace.ts";

/** How much of the file the data may take: with the page, it has less than 1.5 MB. */
const MAX_BYTES = 950_000;
/** How much of that the records before the first step may take. */
const MAX_START_BYTES = MAX_BYTES / 2;

/**
 * Returns a trace that is small enough for its file. The oldest steps and requests are left out first; their records
 * stay, as part of the start, as far as there is room for them.
 */
export function toBounded(trace: Trace): Trace {
  const rest = MAX_BYTES - bytesOf({ ...trace, start: null, steps: [], requests: [] });
  const before = bytesOf(trace.start);
  const roomy = newestOf(trace, rest - before);
  if (roomy.steps === 0 && roomy.requests === 0 && before <= MAX_START_BYTES) return trace;
  const grown = startAt(trace, roomy.steps);
  const more = bytesOf(grown) - before;
  if (more <= 0) return cutAt(trace, roomy, grown);
  const tight = newestOf(trace, rest - Math.min(before + more, MAX_START_BYTES));
  return cutAt(trace, tight, startAt(trace, tight.steps));
}

/** How many of the oldest steps and requests are left out. */
interface Cut {
  readonly steps: number;
  readonly requests: number;
}

/** Leaves out what does not fit; the newest stays. */
function newestOf(trace: Pick<Trace, "steps" | "requests">, budget: number): Cut {
  let [steps, requests, left] = [trace.steps.length, trace.requests.length, budget];
  while (steps > 0 || requests > 0) {
    const [step, request] = [trace.steps[steps - 1], trace.requests[requests - 1]];
    const isStep = step !== undefined && step.at >= (fromIso(request?.at ?? "") ?? 0);
    left -= bytesOf(isStep ? step : request);
    if (left < 0) break;
    if (isStep) steps--;
    else requests--;
  }
  return { steps, requests };
}

function startAt(trace: Trace, steps: number): Step {
  return stepOf(recordsAt(trace, steps), timeAt(trace, steps));
}

function cutAt(trace: Trace, { steps, requests }: Cut, start: Step): Trace {
  const placeOf = (place: number): number => Math.max(0, place - steps);
  return {
    ...trace,
    start: toBoundedStart(start),
    steps: trace.steps.slice(steps),
    requests: trace.requests.slice(requests),
    tests: trace.tests
      .filter(({ until }) => until > steps)
      .map((one) => ({ ...one, from: placeOf(one.from), until: placeOf(one.until) })),
  };
}

/** Without the oldest transactions and their webhooks if they would take too much. */
function toBoundedStart(start: Step): Step {
  const { payins = [], payouts = [], deliveries = [] } = start.change;
  const bytes = new Map<string, number>();
  for (const { id, ...row } of [...payins, ...payouts]) bytes.set(id, bytesOf(row));
  for (const { transactionId: id, ...row } of deliveries)
    bytes.set(id, (bytes.get(id) ?? 0) + bytesOf(row));
  const newestFirst = [...payins, ...payouts].toSorted(
    (one, other) => other.eventNumber - one.eventNumber,
  );
  let left = MAX_START_BYTES;
  const stays = new Set<string>();
  for (const { id } of newestFirst) {
    const size = bytes.get(id) ?? 0;
    if (size > left) continue;
    left -= size;
    stays.add(id);
  }
  if (stays.size === newestFirst.length) return start;
  const change: Change = {
    ...start.change,
    payins: payins.filter(({ id }) => stays.has(id)),
    payouts: payouts.filter(({ id }) => stays.has(id)),
    deliveries: deliveries.filter(({ transactionId: id }) => stays.has(id)),
  };
  return { ...start, change };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(toElementText(JSON.stringify(value)));
}

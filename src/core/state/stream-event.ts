import { asOf, type Attempt, type Delivery } from "../records/delivery.ts";
import type { Payin } from "../records/payin.ts";
import type { Payout } from "../records/payout.ts";
import type { Change, Records } from "./records.ts";

/** An event of the event log; numbers increase. */
export type StreamEvent =
  | { readonly number: number; readonly kind: "payin"; readonly payin: Payin }
  | { readonly number: number; readonly kind: "payout"; readonly payout: Payout }
  | { readonly number: number; readonly kind: "delivery"; readonly delivery: Delivery }
  | {
      readonly number: number;
      readonly kind: "attempt";
      /** The delivery after the attempt. */
      readonly delivery: Delivery;
      readonly attempt: Attempt;
    }
  /** All records of an integration (`null`: of all) were replaced. */
  | { readonly number: number; readonly kind: "reset"; readonly integration: string | null };

/** The events of a change, in the order of their numbers. */
export function eventsOf(change: Change): StreamEvent[] {
  const reset = change.find((put) => put[0] === "reset");
  // The events of the new records happened before.
  if (reset) return [{ number: reset[2], kind: "reset", integration: reset[1] }];
  const events: StreamEvent[] = [];
  for (const [table, row] of change) {
    if (row === null) continue;
    if (table === "payins") events.push({ number: row.eventNumber, kind: "payin", payin: row });
    if (table === "payouts") events.push({ number: row.eventNumber, kind: "payout", payout: row });
    if (table !== "deliveries") continue;
    const attempt = row.attempts.at(-1);
    events.push(
      attempt
        ? { number: attempt.eventNumber, kind: "attempt", delivery: row, attempt }
        : { number: row.eventNumber, kind: "delivery", delivery: row },
    );
  }
  return events.length > 1 ? events.toSorted(byNumber) : events;
}

/**
 * The events after a number that can be read from the records, up to `limit`, oldest first: the latest event
 * of each payin and payout, and the creation and every attempt of each delivery.
 */
export function eventsAfter(records: Records, after: number, limit: number): StreamEvent[] {
  const last = lastOfFirst(limit, numbersAfter(records, after));
  const isWanted = (number: number): boolean => number > after && number <= last;
  const events: StreamEvent[] = [];
  for (const payin of records.payins.all())
    if (isWanted(payin.eventNumber))
      events.push({ number: payin.eventNumber, kind: "payin", payin });
  for (const payout of records.payouts.all())
    if (isWanted(payout.eventNumber))
      events.push({ number: payout.eventNumber, kind: "payout", payout });
  for (const delivery of records.deliveries.all()) {
    if (isWanted(delivery.eventNumber))
      events.push({ number: delivery.eventNumber, kind: "delivery", delivery: asOf(delivery) });
    for (const attempt of delivery.attempts)
      if (isWanted(attempt.eventNumber))
        events.push({
          number: attempt.eventNumber,
          kind: "attempt",
          delivery: asOf(delivery, attempt),
          attempt,
        });
  }
  return events.toSorted(byNumber);
}

/** Yields numbers only: there can be millions, and only the requested events are built. */
function* numbersAfter({ payins, payouts, deliveries }: Records, after: number): Generator<number> {
  for (const { eventNumber } of payins.all()) if (eventNumber > after) yield eventNumber;
  for (const { eventNumber } of payouts.all()) if (eventNumber > after) yield eventNumber;
  for (const { eventNumber, attempts } of deliveries.all()) {
    if (eventNumber > after) yield eventNumber;
    for (const attempt of attempts) if (attempt.eventNumber > after) yield attempt.eventNumber;
  }
}

/** The greatest of the `limit` smallest numbers; infinite if there are not more. */
function lastOfFirst(limit: number, numbers: Iterable<number>): number {
  const sorted = Float64Array.from(numbers).toSorted();
  return sorted.length > limit ? (sorted[limit - 1] ?? 0) : Number.POSITIVE_INFINITY;
}

function byNumber(one: StreamEvent, other: StreamEvent): number {
  return one.number - other.number;
}

import { asOf, type Attempt, type Delivery } from "../webhooks/delivery.ts";
import type { Payin } from "../payments/payin.ts";
import type { Payout } from "../payments/payout.ts";
import type { Change, Records } from "./records.ts";

/** Something that happened, as the event stream tells it; numbers only ever grow. */
export type StreamEvent =
  | { readonly number: number; readonly kind: "payin"; readonly payin: Payin }
  | { readonly number: number; readonly kind: "payout"; readonly payout: Payout }
  | { readonly number: number; readonly kind: "delivery"; readonly delivery: Delivery }
  | {
      readonly number: number;
      readonly kind: "attempt";
      /** As the attempt left it. */
      readonly delivery: Delivery;
      readonly attempt: Attempt;
    }
  /** All there was of an integration, or of any where it is null, gave way to what there is now. */
  | { readonly number: number; readonly kind: "reset"; readonly integration: string | null };

/** The events that a change brings, in the order of their numbers. */
export function eventsOf(change: Change): StreamEvent[] {
  const { replaces } = change;
  // What is put in place happened before.
  if (replaces)
    return [{ number: replaces.eventNumber, kind: "reset", integration: replaces.integration }];
  const events: StreamEvent[] = [];
  for (const payin of change.payins ?? [])
    events.push({ number: payin.eventNumber, kind: "payin", payin });
  for (const payout of change.payouts ?? [])
    events.push({ number: payout.eventNumber, kind: "payout", payout });
  for (const delivery of change.deliveries ?? []) {
    const attempt = delivery.attempts.at(-1);
    events.push(
      attempt
        ? { number: attempt.eventNumber, kind: "attempt", delivery, attempt }
        : { number: delivery.eventNumber, kind: "delivery", delivery },
    );
  }
  return events.length > 1 ? events.toSorted(byNumber) : events;
}

/**
 * What the records still tell of the time after an event, up to `limit` events, oldest first: of each payin
 * and payout the latest alone, of a delivery its beginning and every attempt, as they were then.
 */
export function eventsAfter(records: Records, after: number, limit: number): StreamEvent[] {
  const last = lastOfFirst(limit, numbersAfter(records, after));
  const isWanted = (number: number): boolean => number > after && number <= last;
  const events: StreamEvent[] = [];
  for (const payin of records.payins.each())
    if (isWanted(payin.eventNumber))
      events.push({ number: payin.eventNumber, kind: "payin", payin });
  for (const payout of records.payouts.each())
    if (isWanted(payout.eventNumber))
      events.push({ number: payout.eventNumber, kind: "payout", payout });
  for (const delivery of records.deliveries.each()) {
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

/** There may be millions: numbers alone, so that only the events that are wanted are made. */
function* numbersAfter({ payins, payouts, deliveries }: Records, after: number): Generator<number> {
  for (const { eventNumber } of payins.each()) if (eventNumber > after) yield eventNumber;
  for (const { eventNumber } of payouts.each()) if (eventNumber > after) yield eventNumber;
  for (const { eventNumber, attempts } of deliveries.each()) {
    if (eventNumber > after) yield eventNumber;
    for (const attempt of attempts) if (attempt.eventNumber > after) yield attempt.eventNumber;
  }
}

/** The greatest of the `limit` smallest numbers; infinite where there are no more than those. */
function lastOfFirst(limit: number, numbers: Iterable<number>): number {
  const sorted = Float64Array.from(numbers).toSorted();
  return sorted.length > limit ? (sorted[limit - 1] ?? 0) : Number.POSITIVE_INFINITY;
}

function byNumber(one: StreamEvent, other: StreamEvent): number {
  return one.number - other.number;
}

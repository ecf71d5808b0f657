import type { AssumptionChanges } from "./assumptions.ts";
import type { ClockSetting } from "./clock.ts";
import type { Attempt, Delivery } from "./delivery.ts";
import type { Payin } from "./payin.ts";
import type { Payout } from "./payout.ts";
import { Table } from "./table.ts";
import type { WebhookConfiguration } from "./webhook-configuration.ts";

/** Choices changed while the sandbox runs: an integration's own, or everyone's where `integration` is null. */
export interface ChangedAssumptions {
  readonly integration: string | null;
  readonly changes: AssumptionChanges;
}

/** What one decision changes: the records as they then are. All of it is remembered, or none. */
export interface Change {
  readonly payins?: readonly Payin[];
  readonly payouts?: readonly Payout[];
  readonly deliveries?: readonly Delivery[];
  readonly webhookConfigurations?: readonly WebhookConfiguration[];
  readonly changedAssumptions?: readonly ChangedAssumptions[];
  readonly clock?: ClockSetting;
  readonly identity?: Identity;
}

/** What makes this sandbox the one it is: where its ids come from, and what signs its webhooks. */
export interface Identity {
  readonly seed: string;
  /** `whsec_` and the base64 of the key. */
  readonly secret: string;
}

/** Something that happened, as the event stream tells it; numbers only ever grow. */
export type StreamEvent =
  | { readonly number: number; readonly kind: "payin"; readonly payin: Payin }
  | { readonly number: number; readonly kind: "payout"; readonly payout: Payout }
  | { readonly number: number; readonly kind: "delivery"; readonly delivery: Delivery }
  | {
      readonly number: number;
      readonly kind: "attempt";
      readonly delivery: Delivery;
      readonly attempt: Attempt;
    };

/** One integration's share that is looked up by something else than a record's id. */
class IntegrationIndex {
  lastOrdinal = 0;
  /** The record that each idempotency key was taken for last. */
  readonly takenKeys = new Map<string, string>();
  /** How many payouts are in progress, by receiver CPF and by PIX key. */
  readonly waitingByCpf = new Map<string, number>();
  readonly waitingByPixKey = new Map<string, number>();
  configuration: WebhookConfiguration | undefined;
}

/** Everything that the sandbox knows, in memory. A change applies at once; the same changes give the same records. */
export class Records {
  readonly payins = new Table<Payin>(({ id }) => id);
  readonly payouts = new Table<Payout>(({ id }) => id);
  readonly deliveries = new Table<Delivery>(({ id }) => id);
  readonly integrations = new Map<string, IntegrationIndex>();
  readonly changedAssumptions = new Map<string | null, AssumptionChanges>();
  clock: ClockSetting | undefined;
  identity: Identity | undefined;
  #lastEventNumber = 0;

  /** The number of the newest event. */
  get lastEventNumber(): number {
    return this.#lastEventNumber;
  }

  takeEventNumber(): number {
    return ++this.#lastEventNumber;
  }

  /** Numbers are never used twice, not even those of events that no record shows any more. */
  continueAfter(eventNumber: number): void {
    this.#lastEventNumber = Math.max(this.#lastEventNumber, eventNumber);
  }

  /** An integration exists from the first time that its token is used. */
  integration(token: string): IntegrationIndex {
    let index = this.integrations.get(token);
    if (!index) {
      index = new IntegrationIndex();
      this.integrations.set(token, index);
    }
    return index;
  }

  /** The record that a key was taken for last. */
  takenFor(integration: string, key: string): Payin | Payout | undefined {
    const id = this.integration(integration).takenKeys.get(key);
    return id === undefined ? undefined : (this.payins.get(id) ?? this.payouts.get(id));
  }

  apply(change: Change): void {
    const { payins, payouts, deliveries, webhookConfigurations, changedAssumptions } = change;
    if (payins) for (const payin of payins) this.#putPayin(payin);
    if (payouts) for (const payout of payouts) this.#putPayout(payout);
    if (deliveries) for (const delivery of deliveries) this.#putDelivery(delivery);
    if (webhookConfigurations) {
      for (const row of webhookConfigurations)
        this.integration(row.integration).configuration = row;
    }
    if (changedAssumptions) {
      for (const { integration, changes } of changedAssumptions)
        this.changedAssumptions.set(integration, changes);
    }
    if (change.clock) this.clock = change.clock;
    if (change.identity) this.identity = change.identity;
  }

  /** Forgets everything for what a change holds, as `toChange` made it; event numbers go on. */
  replaceWith(change: Change): void {
    for (const table of [this.payins, this.payouts, this.deliveries]) table.clear();
    this.integrations.clear();
    this.changedAssumptions.clear();
    this.apply(change);
  }

  /** All of it as one change, from which the same records can be made again, now or later. */
  toChange(): Change {
    const indexes = [...this.integrations.values()];
    return {
      payins: [...this.payins.all()],
      payouts: [...this.payouts.all()],
      deliveries: [...this.deliveries.all()],
      webhookConfigurations: indexes.flatMap(({ configuration }) => configuration ?? []),
      changedAssumptions: [...this.changedAssumptions].map(([integration, changes]) => ({
        integration,
        changes,
      })),
      ...(this.clock && { clock: this.clock }),
      ...(this.identity && { identity: this.identity }),
    };
  }

  #putPayin(payin: Payin): void {
    const isNew = this.payins.put(payin) === undefined;
    this.#note(payin, isNew);
  }

  #putPayout(payout: Payout): void {
    const before = this.payouts.put(payout);
    this.#note(payout, before === undefined);
    const difference = Number(payout.status === "waiting") - Number(before?.status === "waiting");
    if (difference === 0) return;
    const { waitingByCpf, waitingByPixKey } = this.integration(payout.integration);
    count(waitingByCpf, payout.receiverCpf, difference);
    count(waitingByPixKey, payout.pixKey, difference);
  }

  #putDelivery(delivery: Delivery): void {
    this.deliveries.put(delivery);
    const last = delivery.attempts.at(-1)?.eventNumber ?? delivery.eventNumber;
    this.#lastEventNumber = Math.max(this.#lastEventNumber, last);
  }

  #note(
    { id, integration, ordinal, idempotencyKey, eventNumber }: Payin | Payout,
    isNew: boolean,
  ): void {
    if (eventNumber > this.#lastEventNumber) this.#lastEventNumber = eventNumber;
    if (!isNew) return;
    const index = this.integration(integration);
    if (ordinal > index.lastOrdinal) index.lastOrdinal = ordinal;
    else if (ordinal < (this.takenFor(integration, idempotencyKey)?.ordinal ?? 0)) return;
    index.takenKeys.set(idempotencyKey, id);
  }
}

/** The events that a change brings, in the order of their numbers. */
export function eventsOf(change: Change): StreamEvent[] {
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

/** What the records still tell of the time after an event: each record as it now is, every delivery and attempt. */
export function eventsAfter(records: Records, after: number): StreamEvent[] {
  const events: StreamEvent[] = [];
  for (const payin of records.payins.all())
    events.push({ number: payin.eventNumber, kind: "payin", payin });
  for (const payout of records.payouts.all())
    events.push({ number: payout.eventNumber, kind: "payout", payout });
  for (const delivery of records.deliveries.all()) {
    events.push({ number: delivery.eventNumber, kind: "delivery", delivery });
    for (const attempt of delivery.attempts)
      events.push({ number: attempt.eventNumber, kind: "attempt", delivery, attempt });
  }
  return events.filter(({ number }) => number > after).toSorted(byNumber);
}

function byNumber(one: StreamEvent, other: StreamEvent): number {
  return one.number - other.number;
}

function count(counts: Map<string, number>, key: string, difference: number): void {
  const total = (counts.get(key) ?? 0) + difference;
  if (total > 0) counts.set(key, total);
  else counts.delete(key);
}

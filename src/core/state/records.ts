import type { AssumptionChanges } from "../assumptions/table.ts";
import type { ClockSetting } from "../time/clock.ts";
import type { Delivery } from "../webhooks/delivery.ts";
import type { Fault } from "../faults/fault.ts";
import type { Payin } from "../payments/payin.ts";
import type { Payout } from "../payments/payout.ts";
import { recipientKey } from "../payments/pix-key.ts";
import { Queue } from "./queue.ts";
import { Table } from "./table.ts";
import { TextMap } from "./text-map.ts";
import type { WebhookConfiguration } from "../webhooks/webhook-configuration.ts";

/** Choices changed while the sandbox runs: an integration's own, or everyone's where `integration` is null. */
export interface ChangedAssumptions {
  readonly integration: string | null;
  readonly changes: AssumptionChanges;
}

/** All there is of one integration, or of any where it is null, gives way to what comes in its place. */
export interface Replacement {
  readonly integration: string | null;
  /** The number of the event that tells of it: what is put in place keeps its own numbers. */
  readonly eventNumber: number;
}

/** What one decision changes: the records as they then are. All of it is remembered, or none. */
export interface Change {
  /** Comes before all the rest. */
  readonly replaces?: Replacement;
  readonly payins?: readonly Payin[];
  readonly payouts?: readonly Payout[];
  readonly deliveries?: readonly Delivery[];
  readonly webhookConfigurations?: readonly WebhookConfiguration[];
  readonly changedAssumptions?: readonly ChangedAssumptions[];
  readonly faults?: readonly Fault[];
  /** The ids of faults that are gone. */
  readonly removedFaults?: readonly string[];
  /** How many faults integrations, or everyone, have had at least; those that are gone too. */
  readonly lastFaultOrdinals?: Records["lastFaultOrdinals"];
  readonly clock?: ClockSetting;
  readonly identity?: Identity;
}

/** What makes this sandbox the one it is: where its ids come from, and what signs its webhooks. */
export interface Identity {
  readonly seed: string;
  /** Whether the seed was given, so that ids repeat; absent when it was drawn, or by an older version. */
  readonly isSeedGiven?: boolean | undefined;
  /** `whsec_` and the base64 of the key. */
  readonly secret: string;
  /** Names the event stream, of which event numbers are places; absent in a state that had none yet. */
  readonly stream?: string | undefined;
}

/** One integration's share that is looked up by something else than a record's id. */
class IntegrationIndex {
  lastOrdinal = 0;
  /** The record that each idempotency key was taken for last. */
  readonly usedKeys = new TextMap<string>();
  /** How many payouts are in progress, by receiver CPF and by {@link recipientKey}. */
  readonly waitingByCpf = new Map<string, number>();
  readonly waitingByPixKey = new Map<string, number>();
  configuration: WebhookConfiguration | undefined;
}

/** Everything that the sandbox knows, in memory. A change applies at once; the same changes give the same records. */
export class Records {
  payins = new Table<Payin>(({ id }) => id);
  payouts = new Table<Payout>(({ id }) => id);
  deliveries = new Table<Delivery>(({ id }) => id);
  integrations = new Map<string, IntegrationIndex>();
  changedAssumptions = new Map<string | null, AssumptionChanges>();
  /** By id, in the order in which they were created; replaced whole by whatever changes it. */
  faults: ReadonlyMap<string, Fault> = NO_FAULTS;
  /** The faults of calls that ask for `hold` with a header: each exists while its call is held, and is never stored. */
  readonly callFaults = new Map<string, Fault>();
  clock: ClockSetting | undefined;
  identity: Identity | undefined;
  #lastFaultOrdinals = new Map<string | null, number>();
  #lastEventNumber = 0;
  readonly #keepDeliveries: number;
  /** The ids of finished deliveries, in the order in which they were finished. */
  #finished = new Queue<string>();
  /** All payins and payouts before these places have had their keys forgotten. */
  #payinKeysFrom = 0;
  #payoutKeysFrom = 0;

  /** @param keepDeliveries how many finished deliveries, which are history, are remembered */
  constructor(keepDeliveries = Number.POSITIVE_INFINITY) {
    this.#keepDeliveries = keepDeliveries;
  }

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

  /** How many faults an integration, or everyone, has had. */
  lastFaultOrdinal(integration: string | null): number {
    return this.#lastFaultOrdinals.get(integration) ?? 0;
  }

  /** The same of all that have had any: what is gone still counts. */
  get lastFaultOrdinals(): [integration: string | null, ordinal: number][] {
    return [...this.#lastFaultOrdinals];
  }

  countFaultsAfter(ordinals: Records["lastFaultOrdinals"]): void {
    this.#lastFaultOrdinals = new Map(ordinals);
  }

  /** The record that a key was taken for last. */
  takenFor(integration: string, key: string): Payin | Payout | undefined {
    const id = this.integration(integration).usedKeys.get(key);
    return id === undefined ? undefined : (this.payins.get(id) ?? this.payouts.get(id));
  }

  /**
   * @returns what puts back how it was before, for a change that turns out not to be kept; of several,
   * the latest first. Event numbers go on all the same, history that was dropped stays
   * dropped, and a key that had passed and was taken anew is free.
   */
  apply(change: Change): () => void {
    const putBackReplaced = change.replaces && this.#takeAway(change.replaces);
    const payins = change.payins?.map((payin) => this.#putPayin(payin));
    const payouts = change.payouts?.map((payout) => this.#putPayout(payout));
    const deliveries = change.deliveries?.map((delivery) => this.#putDelivery(delivery));
    const putBackSettings = this.#applySettings(change);
    for (const [owner, ordinal] of change.lastFaultOrdinals ?? []) this.#countFault(owner, ordinal);
    return () => {
      putBackSettings?.();
      eachFromLast(change.deliveries, (id, index) => {
        const before = deliveries?.[index];
        if (before) this.deliveries.put(before);
        else this.deliveries.remove(id);
      });
      eachFromLast(change.payouts, (id, index) => this.#putBackPayout(id, payouts?.[index]));
      eachFromLast(change.payins, (id, index) => this.#putBackPayin(id, payins?.[index]));
      putBackReplaced?.();
    };
  }

  /**
   * Forgets idempotency keys, and what is known of the calls that took them, the oldest first and a
   * few at a time: up to the first record whose key is not `isPast`.
   */
  forgetKeys(isPast: (record: Payin | Payout) => boolean): void {
    this.#payinKeysFrom = this.#forgetKeysOf(this.payins, this.#payinKeysFrom, isPast);
    this.#payoutKeysFrom = this.#forgetKeysOf(this.payouts, this.#payoutKeysFrom, isPast);
  }

  /** What one integration has, as it is now, as a change that brings the same records; for all of them see `toChange`. */
  shareOf(integration: string): Change {
    const isOwn = (row: { readonly integration: string }): boolean =>
      row.integration === integration;
    const configuration = this.integrations.get(integration)?.configuration;
    const changes = this.changedAssumptions.get(integration);
    return {
      payins: this.payins.all().filter(isOwn),
      payouts: this.payouts.all().filter(isOwn),
      deliveries: this.deliveries.all().filter(isOwn),
      webhookConfigurations: configuration ? [configuration] : [],
      changedAssumptions: changes ? [{ integration, changes }] : [],
      faults: [...this.faults.values()].filter((fault) => fault.integration === integration),
    };
  }

  /** All of it, as it is now, as one change from which the same records can be made again. */
  toChange(): Change {
    const indexes = [...this.integrations.values()];
    return {
      payins: this.payins.all(),
      payouts: this.payouts.all(),
      deliveries: this.deliveries.all(),
      webhookConfigurations: indexes.flatMap(({ configuration }) => configuration ?? []),
      changedAssumptions: [...this.changedAssumptions].map(([integration, changes]) => ({
        integration,
        changes,
      })),
      ...(this.faults.size > 0 && { faults: [...this.faults.values()] }),
      ...(this.clock && { clock: this.clock }),
      ...(this.identity && { identity: this.identity }),
    };
  }

  /**
   * Whatever belongs to an integration has its line here, and its row in `toChange` and `shareOf`. What
   * is kept moves to tables of its own, so that putting back is taking up the old ones again.
   */
  #takeAway({ integration, eventNumber }: Replacement): () => void {
    const { payins, payouts, deliveries, integrations, changedAssumptions, faults } = this;
    const [finished, lastFaultOrdinals] = [this.#finished, this.#lastFaultOrdinals];
    const isKept = (owner: string | null): boolean => integration !== null && owner !== integration;
    this.payins = payins.only((payin) => isKept(payin.integration));
    this.payouts = payouts.only((payout) => isKept(payout.integration));
    this.deliveries = deliveries.only((delivery) => isKept(delivery.integration));
    this.integrations = new Map([...integrations].filter(([token]) => isKept(token)));
    this.changedAssumptions = new Map([...changedAssumptions].filter(([owner]) => isKept(owner)));
    this.faults = new Map([...faults].filter(([, fault]) => isKept(fault.integration)));
    this.#lastFaultOrdinals = new Map([...lastFaultOrdinals].filter(([owner]) => isKept(owner)));
    this.#finished = new Queue();
    for (const id of finished.all()) if (this.deliveries.get(id)) this.#finished.add(id);
    this.#payinKeysFrom = 0;
    this.#payoutKeysFrom = 0;
    this.continueAfter(eventNumber);
    return () => {
      Object.assign(this, { payins, payouts, deliveries, integrations, changedAssumptions });
      this.faults = faults;
      this.#finished = finished;
      this.#lastFaultOrdinals = lastFaultOrdinals;
      this.#payinKeysFrom = 0;
      this.#payoutKeysFrom = 0;
    };
  }

  /** @returns the record as it was before; so do the others. */
  #putPayin(payin: Payin): Payin | undefined {
    const before = this.payins.put(payin);
    this.#note(payin, before === undefined);
    return before;
  }

  #putPayout(payout: Payout): Payout | undefined {
    const before = this.payouts.put(payout);
    this.#note(payout, before === undefined);
    const difference = Number(payout.status === "waiting") - Number(before?.status === "waiting");
    if (difference !== 0) this.#countWaiting(payout, difference);
    return before;
  }

  #countWaiting({ integration, receiverCpf, pixKey }: Payout, difference: number): void {
    const { waitingByCpf, waitingByPixKey } = this.integration(integration);
    count(waitingByCpf, receiverCpf, difference);
    count(waitingByPixKey, recipientKey(pixKey), difference);
  }

  /** History has a limit: the delivery that was finished first is dropped first. */
  #finish(id: string): void {
    this.#finished.add(id);
    while (this.#finished.size > this.#keepDeliveries) {
      const oldest = this.#finished.take();
      if (oldest !== undefined && this.deliveries.get(oldest)?.status !== "pending")
        this.deliveries.remove(oldest);
    }
  }

  #applySettings(change: Change): (() => void) | undefined {
    const { webhookConfigurations, changedAssumptions } = change;
    const hasFaults = change.faults !== undefined || change.removedFaults !== undefined;
    if (
      !webhookConfigurations &&
      !changedAssumptions &&
      !hasFaults &&
      !change.clock &&
      !change.identity
    )
      return undefined;
    const undos: (() => void)[] = [];
    if (hasFaults) undos.push(this.#applyFaults(change));
    for (const row of webhookConfigurations ?? []) {
      const index = this.integration(row.integration);
      const { configuration } = index;
      index.configuration = row;
      undos.push(() => (index.configuration = configuration));
    }
    for (const { integration, changes } of changedAssumptions ?? []) {
      const before = this.changedAssumptions.get(integration);
      this.changedAssumptions.set(integration, changes);
      undos.push(() => {
        if (before) this.changedAssumptions.set(integration, before);
        else this.changedAssumptions.delete(integration);
      });
    }
    const { clock, identity } = this;
    if (change.clock) this.clock = change.clock;
    if (change.identity) this.identity = change.identity;
    if (change.clock || change.identity) {
      undos.push(() => {
        this.clock = clock;
        this.identity = identity;
      });
    }
    return () => undos.toReversed().forEach((undo) => undo());
  }

  #applyFaults({ faults = [], removedFaults = [] }: Change): () => void {
    const before = this.faults;
    const after = new Map(before);
    for (const fault of faults) {
      after.set(fault.id, fault);
      this.#countFault(fault.integration, fault.ordinal);
    }
    for (const id of removedFaults) after.delete(id);
    this.faults = after;
    return () => {
      this.faults = before;
    };
  }

  #countFault(owner: string | null, ordinal: number): void {
    this.#lastFaultOrdinals.set(owner, Math.max(this.lastFaultOrdinal(owner), ordinal));
  }

  #putBackPayin(id: string, before: Payin | undefined): void {
    if (before) this.payins.put(before);
    else this.#forgetKey(this.payins.remove(id));
  }

  #putBackPayout(id: string, before: Payout | undefined): void {
    if (before) {
      this.#putPayout(before);
      return;
    }
    const removed = this.payouts.remove(id);
    this.#forgetKey(removed);
    if (removed?.status === "waiting") this.#countWaiting(removed, -1);
  }

  #forgetKeysOf<Row extends Payin | Payout>(
    table: Table<Row>,
    from: number,
    isPast: (record: Row) => boolean,
  ): number {
    for (let place = from; place < from + KEYS_AT_A_TIME; place++) {
      const record = table.at(place);
      if (!record || !isPast(record)) return place;
      this.#forgetKey(record);
      table.put({ ...record, idempotencyKey: NO_KEY, request: "" });
    }
    return from + KEYS_AT_A_TIME;
  }

  #forgetKey(record: Payin | Payout | undefined): void {
    if (!record) return;
    const { usedKeys } = this.integration(record.integration);
    if (usedKeys.get(record.idempotencyKey) === record.id) usedKeys.delete(record.idempotencyKey);
  }

  #putDelivery(delivery: Delivery): Delivery | undefined {
    const before = this.deliveries.put(delivery);
    if (delivery.status !== "pending" && (before === undefined || before.status === "pending"))
      this.#finish(delivery.id);
    const last = delivery.attempts.at(-1)?.eventNumber ?? delivery.eventNumber;
    this.#lastEventNumber = Math.max(this.#lastEventNumber, last);
    return before;
  }

  #note(
    { id, integration, ordinal, idempotencyKey, eventNumber }: Payin | Payout,
    isNew: boolean,
  ): void {
    if (eventNumber > this.#lastEventNumber) this.#lastEventNumber = eventNumber;
    if (!isNew) return;
    const index = this.integration(integration);
    const isNewest = ordinal > index.lastOrdinal;
    if (isNewest) index.lastOrdinal = ordinal;
    if (idempotencyKey === NO_KEY) return;
    if (!isNewest && ordinal < (this.takenFor(integration, idempotencyKey)?.ordinal ?? 0)) return;
    index.usedKeys.set(idempotencyKey, id);
  }
}

const NO_FAULTS: ReadonlyMap<string, Fault> = new Map();
/** What a record holds whose key was forgotten: no call can have sent it. */
export const NO_KEY = "";
/** So that nothing waits for long, however many keys have passed at once. */
const KEYS_AT_A_TIME = 16;

/** Puts back in the opposite order: a record may have been changed twice. */
function eachFromLast(
  rows: readonly { readonly id: string }[] | undefined,
  putBack: (id: string, index: number) => void,
): void {
  for (const [index, { id }] of [...(rows ?? []).entries()].toReversed()) putBack(id, index);
}

function count(counts: Map<string, number>, key: string, difference: number): void {
  const total = (counts.get(key) ?? 0) + difference;
  if (total > 0) counts.set(key, total);
  else counts.delete(key);
}

import type { AssumptionChanges } from "../assumptions/table.ts";
import type { ClockSetting } from "../time/clock.ts";
import { type Attempt, type Delivery, withAttempt } from "../records/delivery.ts";
import type { Fault } from "../faults/fault.ts";
import type { Payin } from "../records/payin.ts";
import type { Payout } from "../records/payout.ts";
import { recipientKey } from "../records/checks.ts";
import { count, Table, TextMap } from "./table.ts";
import { Queue } from "./queue.ts";
import type { WebhookConfiguration } from "../records/webhook-configuration.ts";

/** Assumptions changed while the sandbox runs, for one integration (`null`: for all). */
export interface ChangedAssumptions {
  readonly integration: string | null;
  readonly changes: AssumptionChanges;
}

/** Removes all records of one integration (`null`: of all) before the rest of the change is applied. */
export interface Replacement {
  readonly integration: string | null;
  /** The number of the event that reports it. The records that replace the removed ones keep their own numbers. */
  readonly eventNumber: number;
}

/** An attempt, and the id of its delivery. A change with the whole delivery would repeat its body and earlier attempts. */
export interface AddedAttempt {
  readonly id: string;
  readonly attempt: Attempt;
}

/** The records that a transaction changes, as they are afterwards. It is stored as a whole or not at all. */
export interface Change {
  /** Is applied first. */
  readonly replaces?: Replacement;
  readonly payins?: readonly Payin[];
  readonly payouts?: readonly Payout[];
  readonly deliveries?: readonly Delivery[];
  /** Each becomes part of its delivery. */
  readonly attempts?: readonly AddedAttempt[];
  readonly webhookConfigurations?: readonly WebhookConfiguration[];
  readonly changedAssumptions?: readonly ChangedAssumptions[];
  readonly faults?: readonly Fault[];
  /** The ids of faults to remove. */
  readonly removedFaults?: readonly string[];
  /** The least number of faults that integrations (`null`: all integrations) have had, including removed ones. */
  readonly lastFaultOrdinals?: Records["lastFaultOrdinals"];
  readonly clock?: ClockSetting;
  readonly identity?: Identity;
}

/** The identity of a sandbox: the seed of its ids, and the secret that signs its webhooks. */
export interface Identity {
  readonly seed: string;
  /** Whether the seed was given, so that ids repeat. Absent if it was random, and in states of older versions. */
  readonly isSeedGiven?: boolean | undefined;
  /** `whsec_` and the base64 of the key. */
  readonly secret: string;
  /** Names the event stream to which event numbers belong. Absent in states of older versions. */
  readonly stream?: string | undefined;
}

/** The indexes of one integration: everything that is looked up by something other than a record's id. */
class IntegrationIndex {
  lastOrdinal = 0;
  /** The id of the record that each idempotency key was last used for. */
  readonly usedKeys = new TextMap<string>();
  /** The number of payouts in progress, by receiver CPF and by {@link recipientKey}. */
  readonly waitingByCpf = new Map<string, number>();
  readonly waitingByPixKey = new Map<string, number>();
  configuration: WebhookConfiguration | undefined;
}

/** All records, in memory. The same changes always give the same records. */
export class Records {
  payins = new Table<Payin>(idOf, ownerOf);
  payouts = new Table<Payout>(idOf, ownerOf);
  deliveries = new Table<Delivery>(idOf, ownerOf);
  integrations = new Map<string, IntegrationIndex>();
  changedAssumptions = new Map<string | null, AssumptionChanges>();
  /** By id, in the order of creation. A change replaces the whole map. */
  faults: ReadonlyMap<string, Fault> = NO_FAULTS;
  /** The faults of calls that request `hold` with a header. Each exists while its call is held, and is never stored. */
  readonly callFaults = new Map<string, Fault>();
  clock: ClockSetting | undefined;
  identity: Identity | undefined;
  #lastFaultOrdinals = new Map<string | null, number>();
  #lastEventNumber = 0;
  readonly #keepDeliveries: number;
  /** The ids of finished deliveries, in the order in which they finished. */
  #finished = new Queue<string>();
  /** The keys of all payins and payouts before these places were dropped. */
  #payinKeysFrom = 0;
  #payoutKeysFrom = 0;

  /** @param keepDeliveries how many finished deliveries are stored */
  constructor(keepDeliveries = Number.POSITIVE_INFINITY) {
    this.#keepDeliveries = keepDeliveries;
  }

  get lastEventNumber(): number {
    return this.#lastEventNumber;
  }

  takeEventNumber(): number {
    return ++this.#lastEventNumber;
  }

  /** Continues the event numbers after this one. Numbers are never reused, even if no record shows the event any more. */
  continueAfter(eventNumber: number): void {
    this.#lastEventNumber = Math.max(this.#lastEventNumber, eventNumber);
  }

  /** The indexes of an integration, which exists from the first use of its token. */
  integration(token: string): IntegrationIndex {
    let index = this.integrations.get(token);
    if (!index) {
      index = new IntegrationIndex();
      this.integrations.set(token, index);
    }
    return index;
  }

  /** How many faults an integration (`null`: all integrations) has had. */
  lastFaultOrdinal(integration: string | null): number {
    return this.#lastFaultOrdinals.get(integration) ?? 0;
  }

  /** The same for each integration that has had any. Removed faults count. */
  get lastFaultOrdinals(): [integration: string | null, ordinal: number][] {
    return [...this.#lastFaultOrdinals];
  }

  /** The record that a key was last used for. */
  takenFor(integration: string, key: string): Payin | Payout | undefined {
    const id = this.integration(integration).usedKeys.get(key);
    return id === undefined ? undefined : (this.payins.get(id) ?? this.payouts.get(id));
  }

  /**
   * Applies a change at once.
   * @returns a function that rolls the change back; of several changes, the latest first. Event numbers and
   * fault ordinals still continue, dropped deliveries stay dropped, and an expired key that was used again is free.
   */
  apply(change: Change): () => void {
    const restoreReplaced = change.replaces && this.#removeReplaced(change.replaces);
    const payins = change.payins?.map((payin) => this.#putPayin(payin));
    const payouts = change.payouts?.map((payout) => this.#putPayout(payout));
    const deliveries = change.deliveries?.map((delivery) => this.#putDelivery(delivery));
    const attempted = change.attempts?.map((added) => this.#addAttempt(added));
    const restoreSettings = this.#applySettings(change);
    for (const [owner, ordinal] of change.lastFaultOrdinals ?? []) this.#countFault(owner, ordinal);
    return () => {
      restoreSettings?.();
      for (const before of attempted?.toReversed() ?? []) if (before) this.deliveries.put(before);
      eachFromLast(change.deliveries, (id, index) => {
        const before = deliveries?.[index];
        if (before) this.deliveries.put(before);
        else this.deliveries.remove(id);
      });
      eachFromLast(change.payouts, (id, index) => this.#restorePayout(id, payouts?.[index]));
      eachFromLast(change.payins, (id, index) => this.#restorePayin(id, payins?.[index]));
      restoreReplaced?.();
    };
  }

  /**
   * Drops idempotency keys and the requests that used them, the oldest first and a few at a time, up to the first
   * record whose key is not `isPast`.
   */
  forgetKeys(isPast: (record: Payin | Payout) => boolean): void {
    this.#payinKeysFrom = this.#forgetKeysOf(this.payins, this.#payinKeysFrom, isPast);
    this.#payoutKeysFrom = this.#forgetKeysOf(this.payouts, this.#payoutKeysFrom, isPast);
  }

  /** The records of one integration as a change that creates them again. For all records see `toChange`. */
  shareOf(integration: string): Change {
    const isOwn = (row: { readonly integration: string }): boolean =>
      row.integration === integration;
    const configuration = this.integrations.get(integration)?.configuration;
    const changes = this.changedAssumptions.get(integration);
    const lastFaultOrdinal = this.lastFaultOrdinal(integration);
    return {
      payins: this.payins.all().filter(isOwn),
      payouts: this.payouts.all().filter(isOwn),
      deliveries: this.deliveries.all().filter(isOwn),
      webhookConfigurations: configuration ? [configuration] : [],
      changedAssumptions: changes ? [{ integration, changes }] : [],
      faults: [...this.faults.values()].filter((fault) => fault.integration === integration),
      ...(lastFaultOrdinal > 0 && { lastFaultOrdinals: [[integration, lastFaultOrdinal]] }),
    };
  }

  /** All records as one change that creates them again. The event numbers continue only by `continueAfter`. */
  toChange(): Change {
    const indexes = [...this.integrations.values()];
    const { lastFaultOrdinals } = this;
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
      ...(lastFaultOrdinals.length > 0 && { lastFaultOrdinals }),
      ...(this.clock && { clock: this.clock }),
      ...(this.identity && { identity: this.identity }),
    };
  }

  /**
   * Removes the records of one integration, or of all. Everything that belongs to an integration has a line here, and
   * a row in `toChange` and `shareOf`. The remaining records move to new tables, so that a roll-back restores the old
   * ones.
   */
  #removeReplaced({ integration, eventNumber }: Replacement): () => void {
    const { payins, payouts, deliveries, integrations, changedAssumptions, faults } = this;
    const [finished, lastFaultOrdinals] = [this.#finished, this.#lastFaultOrdinals];
    const remains = (owner: string | null): boolean =>
      integration !== null && owner !== integration;
    this.payins = payins.only((payin) => remains(payin.integration));
    this.payouts = payouts.only((payout) => remains(payout.integration));
    this.deliveries = deliveries.only((delivery) => remains(delivery.integration));
    this.integrations = new Map([...integrations].filter(([token]) => remains(token)));
    this.changedAssumptions = new Map([...changedAssumptions].filter(([owner]) => remains(owner)));
    this.faults = new Map([...faults].filter(([, fault]) => remains(fault.integration)));
    this.#lastFaultOrdinals = new Map([...lastFaultOrdinals].filter(([owner]) => remains(owner)));
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

  /** @returns the previous record, as do the other `#put…` methods. */
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

  /** Drops the delivery that finished first when there are more finished ones than the limit. */
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

  #restorePayin(id: string, before: Payin | undefined): void {
    if (before) this.payins.put(before);
    else this.#forgetKey(this.payins.remove(id));
  }

  #restorePayout(id: string, before: Payout | undefined): void {
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
    for (let place = from; place < from + KEYS_PER_CALL; place++) {
      const record = table.at(place);
      if (!record || !isPast(record)) return place;
      this.#forgetKey(record);
      table.put({ ...record, idempotencyKey: NO_KEY, request: "" });
    }
    return from + KEYS_PER_CALL;
  }

  #forgetKey(record: Payin | Payout | undefined): void {
    if (!record) return;
    const { usedKeys } = this.integration(record.integration);
    if (usedKeys.get(record.idempotencyKey) === record.id) usedKeys.delete(record.idempotencyKey);
  }

  /**
   * Adds an attempt to its delivery, unless the delivery was dropped, or was read from a state file that already
   * contains the attempt.
   */
  #addAttempt({ id, attempt }: AddedAttempt): Delivery | undefined {
    const delivery = this.deliveries.get(id);
    const last = delivery?.attempts.at(-1)?.eventNumber ?? 0;
    if (!delivery || last >= attempt.eventNumber) return undefined;
    return this.#putDelivery(withAttempt(delivery, attempt));
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
/** The key of a record whose key was dropped. No call can send it. */
export const NO_KEY = "";
/** Few at a time, so that no call waits long if many keys expire at once. */
const KEYS_PER_CALL = 16;

/** Calls `restore` for each row in reverse order, since a change may contain a record twice. */
function eachFromLast(
  rows: readonly { readonly id: string }[] | undefined,
  restore: (id: string, index: number) => void,
): void {
  for (const [index, { id }] of [...(rows ?? []).entries()].toReversed()) restore(id, index);
}

function idOf({ id }: { readonly id: string }): string {
  return id;
}

function ownerOf({ integration }: { readonly integration: string }): string {
  return integration;
}

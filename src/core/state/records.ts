import type { AssumptionChanges } from "../assumptions/table.ts";
import type { ClockSetting } from "../time/clock.ts";
import type { Delivery } from "../records/delivery.ts";
import type { Fault } from "../faults/fault.ts";
import type { Payin } from "../records/payin.ts";
import type { Payout } from "../records/payout.ts";
import { recipientKey } from "../records/checks.ts";
import { count, Table } from "./table.ts";
import type { WebhookConfiguration } from "../records/webhook-configuration.ts";

/** Assumptions changed while the sandbox runs, for one integration (`null`: for all). */
export interface ChangedAssumptions {
  readonly integration: string | null;
  readonly changes: AssumptionChanges;
}

/** How many faults an integration (`null`: all integrations) has had, including removed ones. */
export interface FaultOrdinal {
  readonly integration: string | null;
  readonly ordinal: number;
}

/** The identity of a sandbox: the seed of its ids, and the secret that signs its webhooks. */
export interface Identity {
  readonly seed: string;
  /** Whether the seed was given, so that ids repeat. Absent if it was random. */
  readonly isSeedGiven?: boolean | undefined;
  /** `whsec_` and the base64 of the key. */
  readonly secret: string;
}

/** The row of each table. */
export interface Tables {
  readonly identity: Identity;
  readonly clock: ClockSetting;
  readonly webhookConfigurations: WebhookConfiguration;
  readonly changedAssumptions: ChangedAssumptions;
  readonly faultOrdinals: FaultOrdinal;
  readonly faults: Fault;
  readonly payins: Payin;
  readonly payouts: Payout;
  readonly deliveries: Delivery;
}

export type TableName = keyof Tables;

type Owned = { readonly integration: string | null };
const ofOwner = ({ integration }: Owned): string => integration ?? "";
const ofId = ({ id }: { readonly id: string }): string => id;
/** The key of the only row of a table. */
const ONLY = "";

/** The key of a row, in the order in which a state lists the tables. */
const KEYS: { readonly [Name in TableName]: (row: Tables[Name]) => string } = {
  identity: () => ONLY,
  clock: () => ONLY,
  webhookConfigurations: ofOwner,
  changedAssumptions: ofOwner,
  faultOrdinals: ofOwner,
  faults: ofId,
  payins: ofId,
  payouts: ofId,
  deliveries: ofId,
};

export const TABLE_NAMES = Object.keys(KEYS) as readonly TableName[];

/** A row is put into a table, in the place of the one with its key; or the row with a key is removed. */
export type RowPut = {
  [Name in TableName]:
    | readonly [table: Name, row: Tables[Name]]
    | readonly [table: Name, row: null, key: string];
}[TableName];

/** All records of one integration (`null`: of all) are removed. */
export type Reset = readonly ["reset", integration: string | null];

export type Put = RowPut | Reset;

/** What a transaction changes, in order. It is stored as a whole or not at all. */
export type Change = readonly Put[];

/** Rows by table. */
export type Lists = { readonly [Name in TableName]?: readonly Tables[Name][] };

/** The change that puts all rows of the lists. */
export function putsOf(lists: Lists): Change {
  return TABLE_NAMES.flatMap((name) => (lists[name] ?? []).map((row) => [name, row] as RowPut));
}

/** The tables, and what follows from them: whatever is looked up by something other than a key. */
class Contents {
  readonly tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, new Table()])) as {
    readonly [Name in TableName]: Table<Tables[Name]>;
  };
  readonly integrations = new Map<string, IntegrationIndex>();
  /** The ids of finished deliveries, in the order in which they finished. */
  readonly finished: string[] = [];
  /** The keys of all payins and payouts before these places were dropped. */
  readonly keysFrom = { payins: 0, payouts: 0 };

  /** The indexes of an integration, which exists from the first use of its token. */
  integration(token: string): IntegrationIndex {
    let index = this.integrations.get(token);
    if (!index) this.integrations.set(token, (index = new IntegrationIndex()));
    return index;
  }
}

class IntegrationIndex {
  lastOrdinal = 0;
  /** The id of the record that each idempotency key was last used for. */
  readonly usedKeys = new Map<string, string>();
  /** The number of payouts in progress, by receiver CPF and by {@link recipientKey}. */
  readonly waitingByCpf = new Map<string, number>();
  readonly waitingByPixKey = new Map<string, number>();
}

/** All records, in memory. The same changes always give the same records. */
export class Records {
  /** The faults of calls that request `hold` with a header. Each exists while its call is held, and is never stored. */
  readonly callFaults = new Map<string, Fault>();
  #contents = new Contents();
  readonly #keepDeliveries: number;

  /** @param keepDeliveries how many finished deliveries are stored */
  constructor(keepDeliveries = Number.POSITIVE_INFINITY) {
    this.#keepDeliveries = keepDeliveries;
  }

  get payins(): Table<Payin> {
    return this.#contents.tables.payins;
  }

  get payouts(): Table<Payout> {
    return this.#contents.tables.payouts;
  }

  get deliveries(): Table<Delivery> {
    return this.#contents.tables.deliveries;
  }

  get faults(): Table<Fault> {
    return this.#contents.tables.faults;
  }

  get clock(): ClockSetting | undefined {
    return this.#contents.tables.clock.get(ONLY);
  }

  get identity(): Identity | undefined {
    return this.#contents.tables.identity.get(ONLY);
  }

  get webhookConfigurations(): Table<WebhookConfiguration> {
    return this.#contents.tables.webhookConfigurations;
  }

  get changedAssumptions(): Table<ChangedAssumptions> {
    return this.#contents.tables.changedAssumptions;
  }

  /** The changed assumptions of an integration, or of all (`null`); one object until they change again. */
  changesOf(integration: string | null): AssumptionChanges | undefined {
    return this.changedAssumptions.get(integration ?? "")?.changes;
  }

  get integrations(): ReadonlyMap<string, IntegrationIndex> {
    return this.#contents.integrations;
  }

  /** The indexes of an integration, which exists from the first use of its token. */
  integration(token: string): IntegrationIndex {
    return this.#contents.integration(token);
  }

  /** How many faults an integration (`null`: all integrations) has had. Removed faults count. */
  lastFaultOrdinal(integration: string | null): number {
    return this.#contents.tables.faultOrdinals.get(integration ?? "")?.ordinal ?? 0;
  }

  /** The record that a key was last used for. */
  takenFor(integration: string, key: string): Payin | Payout | undefined {
    const id = this.#contents.integrations.get(integration)?.usedKeys.get(key);
    return id === undefined ? undefined : (this.payins.get(id) ?? this.payouts.get(id));
  }

  /**
   * Applies a change at once.
   * @returns a function that rolls the change back; of several changes, the latest first. Numbers of records continue,
   * dropped deliveries stay dropped, and an expired key that was used again is free.
   */
  apply(change: Change): () => void {
    const undos = change.map((put) => (put[0] === "reset" ? this.#reset(put) : this.#put(put)));
    return () => {
      for (const undo of undos.toReversed()) undo();
    };
  }

  /** Adds the rows of a stored state, in their order. */
  load<Name extends TableName>(name: Name, rows: readonly Tables[Name][]): void {
    for (const row of rows) this.#set(name, keyOf(name, row), row);
  }

  /**
   * Drops idempotency keys and the requests that used them, the oldest first and a few at a time, up to the first
   * record whose key is not `isPast`.
   */
  forgetKeys(isPast: (record: Payin | Payout) => boolean): void {
    this.#forgetKeysOf("payins", isPast);
    this.#forgetKeysOf("payouts", isPast);
  }

  /** All rows of one integration, or of all (`null`). */
  listsOf(integration: string | null): Lists {
    const isOwn = (row: object): boolean =>
      integration === null || (row as Partial<Owned>).integration === integration;
    const { tables } = this.#contents;
    return Object.fromEntries(
      TABLE_NAMES.map((name) => [name, (tables[name].all() as object[]).filter(isOwn)]),
    );
  }

  /** The rows that remain move to new tables, so that a roll-back restores the old ones. */
  #reset([, integration]: Reset): () => void {
    const before = this.#contents;
    const remains = (owner: string | null | undefined): boolean =>
      owner === undefined || (integration !== null && owner !== integration);
    this.#contents = new Contents();
    for (const token of before.integrations.keys()) if (remains(token)) this.integration(token);
    for (const name of TABLE_NAMES)
      for (const row of before.tables[name].all() as (object & Partial<Owned>)[])
        if (remains(row.integration)) this.#set(name, keyOf(name, row), row);
    return () => {
      this.#contents = before;
    };
  }

  #put([name, row, removed]: RowPut): () => void {
    const key = removed ?? keyOf(name, row as object);
    const before = this.#set(name, key, row);
    return () => void this.#set(name, key, before);
  }

  /** @returns the row before; null if there was none */
  #set(name: TableName, key: string, row: object | null): object | null {
    const table = this.#contents.tables[name] as Table<object>;
    const before = (row === null ? table.delete(key) : table.set(key, row)) ?? null;
    if (name === "payins" || name === "payouts")
      this.#indexTransaction(before as Payin | Payout | null, row as Payin | Payout | null);
    else if (name === "deliveries")
      this.#indexDelivery(before as Delivery | null, row as Delivery | null);
    return before;
  }

  #indexTransaction(before: Payin | Payout | null, row: Payin | Payout | null): void {
    const record = row ?? before;
    if (!record) return;
    const index = this.integration(record.integration);
    if (!row) forgetKey(index, record);
    else if (!before) this.#noteNew(index, row);
    if (!("pixKey" in record)) return;
    const difference = Number(row?.status === "waiting") - Number(before?.status === "waiting");
    if (difference === 0) return;
    count(index.waitingByCpf, record.receiverCpf, difference);
    count(index.waitingByPixKey, recipientKey(record.pixKey), difference);
  }

  #noteNew(
    index: IntegrationIndex,
    { id, integration, ordinal, idempotencyKey: key }: Payin | Payout,
  ): void {
    const isNewest = ordinal > index.lastOrdinal;
    if (isNewest) index.lastOrdinal = ordinal;
    if (key === NO_KEY) return;
    if (!isNewest && ordinal < (this.takenFor(integration, key)?.ordinal ?? 0)) return;
    index.usedKeys.set(key, id);
  }

  /** Drops the delivery that finished first when there are more finished ones than the limit. */
  #indexDelivery(before: Delivery | null, row: Delivery | null): void {
    const { finished } = this.#contents;
    const isFinished = row !== null && row.status !== "pending";
    const wasFinished = before !== null && before.status !== "pending";
    if (wasFinished && !isFinished) finished.splice(finished.lastIndexOf(before.id), 1);
    if (wasFinished || !isFinished) return;
    finished.push(row.id);
    while (finished.length > this.#keepDeliveries) {
      this.deliveries.delete(finished.shift() ?? "");
    }
  }

  #forgetKeysOf(name: "payins" | "payouts", isPast: (record: Payin | Payout) => boolean): void {
    const { keysFrom, tables } = this.#contents;
    const table = tables[name] as Table<Payin | Payout>;
    for (let left = KEYS_PER_CALL; left > 0; left--) {
      const record = table.at(keysFrom[name]);
      if (!record || !isPast(record)) return;
      keysFrom[name]++;
      forgetKey(this.integration(record.integration), record);
      table.set(record.id, { ...record, idempotencyKey: NO_KEY, request: "" });
    }
  }
}

function keyOf(name: TableName, row: object): string {
  return (KEYS[name] as (row: object) => string)(row);
}

function forgetKey({ usedKeys }: IntegrationIndex, { id, idempotencyKey }: Payin | Payout): void {
  if (usedKeys.get(idempotencyKey) === id) usedKeys.delete(idempotencyKey);
}

/** The key of a record whose key was dropped. No call can send it. */
export const NO_KEY = "";
/** Few at a time, so that no call waits long if many keys expire at once. */
const KEYS_PER_CALL = 16;

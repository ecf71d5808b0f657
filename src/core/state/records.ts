import type { AssumptionChanges, Assumptions } from "../assumptions/table.ts";
import type { ClockSetting } from "../time/clock.ts";
import type { Delivery } from "../records/delivery.ts";
import type { Fault } from "../faults/fault.ts";
import type { Payout, Transaction, WebhookConfiguration } from "../records/transaction.ts";
import { count, Table } from "./table.ts";

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
  readonly transactions: Transaction;
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
  transactions: ({ record }) => record.id,
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
  /** The id of the newest delivery of each transaction. */
  readonly newestDeliveries = new Map<string, string>();
  /** The ids of finished deliveries, in the order in which they finished. */
  readonly finished: string[] = [];
  /** The keys of all transactions before this place were dropped. */
  keysFrom = 0;

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
  /** The number of payouts in progress, by receiver CPF and by Pix key in lower case. */
  readonly waitingByCpf = new Map<string, number>();
  readonly waitingByPixKey = new Map<string, number>();
}

/** All records, in memory. The same changes always give the same records. */
export class Records {
  #contents = new Contents();
  readonly #keepDeliveries: number;

  /** @param keepDeliveries how many finished deliveries are stored */
  constructor(keepDeliveries = Number.POSITIVE_INFINITY) {
    this.#keepDeliveries = keepDeliveries;
  }

  table<Name extends TableName>(name: Name): Table<Tables[Name]> {
    return this.#contents.tables[name] as Table<Tables[Name]>;
  }

  get transactions(): Table<Transaction> {
    return this.table("transactions");
  }

  get deliveries(): Table<Delivery> {
    return this.table("deliveries");
  }

  get faults(): Table<Fault> {
    return this.table("faults");
  }

  get clock(): ClockSetting | undefined {
    return this.table("clock").get(ONLY);
  }

  get identity(): Identity | undefined {
    return this.table("identity").get(ONLY);
  }

  /** The changed assumptions of an integration, or of all (`null`); one object until they change again. */
  changesOf(integration: string | null): AssumptionChanges | undefined {
    return this.table("changedAssumptions").get(integration ?? "")?.changes;
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
    return this.table("faultOrdinals").get(integration ?? "")?.ordinal ?? 0;
  }

  /** Whether a receiver, by CPF or by key, has a payout in progress. */
  isReceiving(
    integration: string,
    recipient: Assumptions["payout.recipient"],
    { receiver_cpf, pix_key }: Pick<Payout, "receiver_cpf" | "pix_key">,
  ): boolean {
    const { waitingByCpf, waitingByPixKey } = this.integration(integration);
    return recipient === "receiver_cpf"
      ? waitingByCpf.has(receiver_cpf)
      : waitingByPixKey.has(pix_key.toLowerCase());
  }

  /** The transaction that a key was last used for. */
  takenFor(integration: string, key: string): Transaction | undefined {
    const id = this.#contents.integrations.get(integration)?.usedKeys.get(key);
    return id === undefined ? undefined : this.transactions.get(id);
  }

  /** The newest delivery about a transaction; undefined if there was none, or it was dropped. */
  newestDeliveryOf(id: string): Delivery | undefined {
    return this.deliveries.get(this.#contents.newestDeliveries.get(id) ?? "");
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

  /**
   * Adds the rows of a stored state, in their order.
   * @returns the key of one that is there already
   */
  load<Name extends TableName>(name: Name, rows: readonly Tables[Name][]): string | undefined {
    for (const row of rows) {
      const key = keyOf(name, row);
      if (this.#set(name, key, row) !== null) return key;
    }
    return undefined;
  }

  /**
   * Drops idempotency keys and the requests that used them, the oldest first and a few at a time, up to the first
   * record whose key is not `isPast`.
   */
  forgetKeys(isPast: (transaction: Transaction) => boolean): void {
    const contents = this.#contents;
    for (let left = KEYS_PER_CALL; left > 0; left--) {
      const transaction = this.transactions.at(contents.keysFrom);
      if (!transaction || !isPast(transaction)) return;
      contents.keysFrom++;
      const { id, integration } = transaction.record;
      forgetKey(this.integration(integration), transaction);
      this.transactions.set(id, { ...transaction, key: NO_KEY, request: "" });
    }
  }

  /** All rows of one integration, or of all (`null`). */
  listsOf(integration: string | null): Lists {
    const isOwn = (row: object): boolean => integration === null || ownerOf(row) === integration;
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
      for (const row of before.tables[name].all() as object[])
        if (remains(ownerOf(row))) this.#set(name, keyOf(name, row), row);
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
    if (name === "transactions")
      this.#indexTransaction(before as Transaction | null, row as Transaction | null);
    else if (name === "deliveries")
      this.#indexDelivery(before as Delivery | null, row as Delivery | null);
    return before;
  }

  #indexTransaction(before: Transaction | null, row: Transaction | null): void {
    const transaction = row ?? before;
    if (!transaction) return;
    const index = this.integration(transaction.record.integration);
    if (!row) forgetKey(index, transaction);
    else if (!before) this.#noteNew(index, row);
    if (transaction.kind !== "payout") return;
    const difference = Number(isWaiting(row)) - Number(isWaiting(before));
    if (difference === 0) return;
    count(index.waitingByCpf, transaction.record.receiver_cpf, difference);
    count(index.waitingByPixKey, transaction.record.pix_key.toLowerCase(), difference);
  }

  #noteNew(index: IntegrationIndex, { key, ordinal, record }: Transaction): void {
    const isNewest = ordinal > index.lastOrdinal;
    if (isNewest) index.lastOrdinal = ordinal;
    if (key === NO_KEY) return;
    if (!isNewest && ordinal < (this.takenFor(record.integration, key)?.ordinal ?? 0)) return;
    index.usedKeys.set(key, record.id);
  }

  /** Drops the delivery that finished first when there are more finished ones than the limit. */
  #indexDelivery(before: Delivery | null, row: Delivery | null): void {
    const { finished, newestDeliveries } = this.#contents;
    if (row && !before) newestDeliveries.set(row.transactionId, row.id);
    if (before && !row) this.#forgetDelivery(before);
    const isFinished = row !== null && row.status !== "pending";
    const wasFinished = before !== null && before.status !== "pending";
    if (wasFinished && !isFinished) finished.splice(finished.lastIndexOf(before.id), 1);
    if (wasFinished || !isFinished) return;
    finished.push(row.id);
    while (finished.length > this.#keepDeliveries) {
      const dropped = this.deliveries.delete(finished.shift() ?? "");
      if (dropped) this.#forgetDelivery(dropped);
    }
  }

  #forgetDelivery({ id, transactionId }: Delivery): void {
    const { newestDeliveries } = this.#contents;
    if (newestDeliveries.get(transactionId) === id) newestDeliveries.delete(transactionId);
  }
}

/** The owner of a row; undefined if the sandbox has it, null for all integrations. */
export function ownerOf(row: object): string | null | undefined {
  const { record = row } = row as Partial<Transaction>;
  return (record as Partial<Owned>).integration;
}

function isWaiting(transaction: Transaction | null): boolean {
  return transaction?.record.status === "waiting";
}

/** The key of a row in its table. */
export function keyOf(name: TableName, row: object): string {
  return (KEYS[name] as (row: object) => string)(row);
}

function forgetKey({ usedKeys }: IntegrationIndex, { key, record }: Transaction): void {
  if (usedKeys.get(key) === record.id) usedKeys.delete(key);
}

/** The key of a record whose key was dropped. No call can send it. */
export const NO_KEY = "";
/** Few at a time, so that no call waits long if many keys expire at once. */
const KEYS_PER_CALL = 16;

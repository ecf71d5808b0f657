import type { Delivery, DeliveryStatus } from "../records/delivery.ts";
import { readBrCode } from "../records/br-code.ts";
import type { Fault } from "../faults/fault.ts";
import type {
  Kind,
  Payin,
  Payout,
  Transaction,
  TransactionOf,
  WebhookConfiguration,
} from "../records/transaction.ts";
import type { ChangedAssumptions, Records } from "./records.ts";
import { type Page, type PageRequest, readPage } from "./page.ts";
import type { Table } from "./table.ts";

/** The records that one integration can see (`null`: all). Reads go through it, so that no read can forget the filter. */
export class View {
  readonly #records: Records;
  readonly #integration: string | null;

  constructor(records: Records, integration: string | null) {
    this.#records = records;
    this.#integration = integration;
  }

  payin(id: string): TransactionOf<"payin"> | undefined {
    return this.transaction("payin", id);
  }

  payout(id: string): TransactionOf<"payout"> | undefined {
    return this.transaction("payout", id);
  }

  transaction<Name extends Kind>(kind: Name, id: string): TransactionOf<Name> | undefined {
    const found = this.#records.transactions.get(id);
    return found?.kind === kind && this.#owns(found.record)
      ? (found as TransactionOf<Name>)
      : undefined;
  }

  /** The payin whose BR Code has this location. A search, newest first: no index has locations. */
  payinAt(location: string): TransactionOf<"payin"> | undefined {
    const pixId = location.slice(location.lastIndexOf("/") + 1);
    const isAt = (one: Transaction): boolean =>
      one.kind === "payin" &&
      one.record.pix_id === pixId &&
      this.#owns(one.record) &&
      readBrCode(one.record.qr_code).location === location;
    return this.#records.transactions.newest(isAt) as TransactionOf<"payin"> | undefined;
  }

  delivery(id: string): Delivery | undefined {
    const found = this.#records.deliveries.get(id);
    return found && this.#owns(found) ? found : undefined;
  }

  /**
   * A page of the list; undefined if it is requested by an id that the list does not contain.
   * @param isOne accepts the records of the list; undefined if the list is not filtered
   */
  payins(request: PageRequest, isOne?: (payin: Payin) => boolean): Page<Payin> | undefined {
    return this.#recordPage("payin", request, isOne);
  }

  payouts(request: PageRequest, isOne?: (payout: Payout) => boolean): Page<Payout> | undefined {
    return this.#recordPage("payout", request, isOne);
  }

  /** A page of both kinds, or of one. */
  transactions(
    request: PageRequest,
    isOne?: (row: Transaction) => boolean,
    kind?: Kind,
  ): Page<Transaction> | undefined {
    const isOwn = (one: Transaction): boolean =>
      (kind === undefined || one.kind === kind) && this.#owns(one.record);
    return this.#page(this.#records.transactions, ofRecord, request, isOwn, isOne);
  }

  deliveries(request: PageRequest, isOne?: (row: Delivery) => boolean): Page<Delivery> | undefined {
    return this.#page(this.#records.deliveries, ofId, request, (one) => this.#owns(one), isOne);
  }

  allDeliveries(wanted: DeliveryFilter): Delivery[] {
    return this.#records.deliveries.all().filter((one) => this.#owns(one) && isWanted(one, wanted));
  }

  /** The newest delivery that matches. */
  newestDelivery(wanted: DeliveryFilter): Delivery | undefined {
    return this.#records.deliveries.newest((one) => this.#owns(one) && isWanted(one, wanted));
  }

  /** The deliveries that match the most criteria, newest first. */
  nearestDeliveries({ id, type, transactionId }: DeliveryFilter, limit: number): Delivery[] {
    const nearness = (one: Delivery): number =>
      Number(one.id === id) * 4 +
      Number(one.transactionId === transactionId) * 2 +
      Number(one.type === type);
    return this.allDeliveries({})
      .toReversed()
      .toSorted((one, other) => nearness(other) - nearness(one))
      .slice(0, limit);
  }

  fault(id: string): Fault | undefined {
    return this.faults().find((fault) => fault.id === id);
  }

  /** The integration's own faults (`null`: all); without those that apply to every integration. */
  faults(): Fault[] {
    const { faults, callFaults } = this.#records;
    return [...faults.all(), ...callFaults.values()].filter(
      ({ integration }) => this.#integration === null || integration === this.#integration,
    );
  }

  faultPage(request: PageRequest, isOne?: (fault: Fault) => boolean): Page<Fault> | undefined {
    const all = this.faults();
    const ids = all.map(({ id }) => id);
    const list = {
      first: 0,
      last: all.length - 1,
      at: (place: number) => all[place],
      placeOf: (id: string) => (ids.includes(id) ? ids.indexOf(id) : undefined),
      keyOf: ofId,
    };
    const page = readPage<Fault>(list, request, isOne ?? (() => true));
    return page && { ...page, total: isOne ? undefined : all.length };
  }

  integrations(): string[] {
    const tokens = [...this.#records.integrations.keys()];
    return this.#integration === null
      ? tokens
      : tokens.filter((token) => token === this.#integration);
  }

  /** The integration's configured webhook. */
  webhookConfiguration(): WebhookConfiguration | undefined {
    return this.#integration === null
      ? undefined
      : this.#records.webhookConfigurations.get(this.#integration);
  }

  webhookConfigurations(): WebhookConfiguration[] {
    return this.#records.webhookConfigurations.all().filter((one) => this.#owns(one));
  }

  /** The changes of assumptions that are stored: of an integration, or of all (`null`). */
  changedAssumptions(): ChangedAssumptions[] {
    return this.#records.changedAssumptions
      .all()
      .filter((one) => Object.keys(one.changes).length > 0 && this.#owns(one));
  }

  #recordPage<Shown>(
    kind: Kind,
    request: PageRequest,
    isOne: ((record: Shown) => boolean) | undefined,
  ): Page<Shown> | undefined {
    const isListed = isOne && (({ record }: Transaction) => isOne(record as Shown));
    const page = this.transactions(request, isListed, kind);
    return page && { ...page, rows: page.rows.map(({ record }) => record as Shown) };
  }

  /** @param isOne accepts the rows of the list; undefined if the list is not filtered */
  #page<Row>(
    table: Table<Row>,
    keyOf: (row: Row) => string,
    request: PageRequest,
    isOwn: (row: Row) => boolean,
    isOne: ((row: Row) => boolean) | undefined,
  ): Page<Row> | undefined {
    const start = table.get(request.after ?? request.before ?? "");
    if (start && !isOwn(start)) return undefined;
    const isListed = isOne ? (row: Row) => isOwn(row) && isOne(row) : isOwn;
    const page = table.page(request, keyOf, isListed);
    return page && { ...page, total: isOne ? undefined : table.count(isOwn) };
  }

  #owns({ integration }: { readonly integration: string | null }): boolean {
    return this.#integration === null || integration === this.#integration;
  }
}

/** Criteria for deliveries; absent members match all. */
export interface DeliveryFilter {
  readonly id?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly type?: string | undefined;
  readonly transactionId?: string | undefined;
}

export function isWanted(delivery: Delivery, wanted: DeliveryFilter): boolean {
  return (
    is(delivery.id, wanted.id) &&
    is(delivery.status, wanted.status) &&
    is<string>(delivery.type, wanted.type) &&
    is(delivery.transactionId, wanted.transactionId)
  );
}

function is<Value>(value: Value, wanted: Value | undefined): boolean {
  return wanted === undefined || value === wanted;
}

function ofRecord({ record }: Transaction): string {
  return record.id;
}

function ofId({ id }: { readonly id: string }): string {
  return id;
}

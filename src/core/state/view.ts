import type { Delivery, DeliveryStatus } from "../records/delivery.ts";
import { readBrCode } from "../records/br-code.ts";
import type { Fault } from "../faults/fault.ts";
import type { Payin } from "../records/payin.ts";
import type { Payout } from "../records/payout.ts";
import type { ChangedAssumptions, Records } from "./records.ts";
import { type Page, type PageRequest, readPage } from "./page.ts";
import type { Table } from "./table.ts";
import type { WebhookConfiguration } from "../records/webhook-configuration.ts";

/** The records that one integration can see (`null`: all). Reads go through it, so that no read can forget the filter. */
export class View {
  readonly #records: Records;
  readonly #integration: string | null;

  constructor(records: Records, integration: string | null) {
    this.#records = records;
    this.#integration = integration;
  }

  payin(id: string): Payin | undefined {
    return this.#own(this.#records.payins.get(id));
  }

  /** The payin whose BR Code has this location. A search, newest first: no index has locations. */
  payinAt(location: string): Payin | undefined {
    const pixId = location.slice(location.lastIndexOf("/") + 1);
    return this.#records.payins.newest(
      (payin) =>
        payin.pixId === pixId &&
        this.#owns(payin) &&
        readBrCode(payin.qrCode).location === location,
    );
  }

  payout(id: string): Payout | undefined {
    return this.#own(this.#records.payouts.get(id));
  }

  delivery(id: string): Delivery | undefined {
    return this.#own(this.#records.deliveries.get(id));
  }

  /**
   * A page of the list; undefined if it is requested by an id that the list does not contain.
   * @param isOne accepts the rows of the list; undefined if the list is not filtered
   */
  payins(request: PageRequest, isOne?: (row: Payin) => boolean): Page<Payin> | undefined {
    return this.#page(this.#records.payins, request, isOne);
  }

  payouts(request: PageRequest, isOne?: (row: Payout) => boolean): Page<Payout> | undefined {
    return this.#page(this.#records.payouts, request, isOne);
  }

  deliveries(request: PageRequest, isOne?: (row: Delivery) => boolean): Page<Delivery> | undefined {
    return this.#page(this.#records.deliveries, request, isOne);
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

  faultPage(request: PageRequest, isOne?: (row: Fault) => boolean): Page<Fault> | undefined {
    const all = this.faults();
    const ids = all.map(({ id }) => id);
    const list = {
      first: 0,
      last: all.length - 1,
      at: (place: number) => all[place],
      placeOf: (id: string) => (ids.includes(id) ? ids.indexOf(id) : undefined),
      keyOf,
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

  #page<Row extends { readonly id: string; readonly integration: string }>(
    table: Table<Row>,
    request: PageRequest,
    isOne: ((row: Row) => boolean) | undefined,
  ): Page<Row> | undefined {
    const start = request.after ?? request.before;
    if (start !== undefined && !this.#own(table.get(start))) return undefined;
    const page = table.page(request, keyOf, (row) => this.#owns(row) && (isOne?.(row) ?? true));
    return page && { ...page, total: isOne ? undefined : table.count((row) => this.#owns(row)) };
  }

  #owns({ integration }: { readonly integration: string | null }): boolean {
    return this.#integration === null || integration === this.#integration;
  }

  #own<Row extends { integration: string }>(row: Row | undefined): Row | undefined {
    return row && this.#owns(row) ? row : undefined;
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

function keyOf({ id }: { readonly id: string }): string {
  return id;
}

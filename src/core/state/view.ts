import type { Delivery, DeliveryStatus } from "../webhooks/delivery.ts";
import type { Fault } from "../faults/fault.ts";
import type { Payin } from "../payments/payin.ts";
import type { Payout } from "../payments/payout.ts";
import type { Records } from "./records.ts";
import type { StreamEvent } from "./stream-event.ts";
import type { Page } from "./table.ts";
import type { WebhookConfiguration } from "../webhooks/webhook-configuration.ts";

/** The requested part of a list. */
export interface PageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
}

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

  payout(id: string): Payout | undefined {
    return this.#own(this.#records.payouts.get(id));
  }

  delivery(id: string): Delivery | undefined {
    return this.#own(this.#records.deliveries.get(id));
  }

  /** A page in order of creation; undefined if `after` is not an id of the list. */
  payins({ limit, after }: PageRequest, status?: Payin["status"]): Page<Payin> | undefined {
    if (after !== undefined && !this.#own(this.#records.payins.get(after))) return undefined;
    return this.#records.payins.page(
      limit,
      after,
      (payin) => this.#owns(payin) && is(payin.status, status),
    );
  }

  payouts({ limit, after }: PageRequest, status?: Payout["status"]): Page<Payout> | undefined {
    if (after !== undefined && !this.#own(this.#records.payouts.get(after))) return undefined;
    return this.#records.payouts.page(
      limit,
      after,
      (payout) => this.#owns(payout) && is(payout.status, status),
    );
  }

  deliveries(
    { limit, after }: PageRequest,
    wanted: DeliveryFilter = {},
  ): Page<Delivery> | undefined {
    if (after !== undefined && !this.#own(this.#records.deliveries.get(after))) return undefined;
    return this.#records.deliveries.page(
      limit,
      after,
      (delivery) => this.#owns(delivery) && isWanted(delivery, wanted),
    );
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
    return [...faults.values(), ...callFaults.values()].filter(
      ({ integration }) => this.#integration === null || integration === this.#integration,
    );
  }

  faultPage({ limit, after }: PageRequest): Page<Fault> | undefined {
    const all = this.faults();
    const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && start === 0) return undefined;
    const rows = all.slice(start, start + limit);
    return { rows, next: start + limit < all.length ? (rows.at(-1)?.id ?? null) : null };
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
      : this.#records.integrations.get(this.#integration)?.configuration;
  }

  #owns({ integration }: { integration: string }): boolean {
    return this.#integration === null || integration === this.#integration;
  }

  #own<Row extends { integration: string }>(row: Row | undefined): Row | undefined {
    return row && this.#owns(row) ? row : undefined;
  }
}

/** Whether an event belongs to an integration (`null`: to any). */
export function isEventOf(event: StreamEvent, integration: string | null): boolean {
  if (integration === null) return true;
  switch (event.kind) {
    case "payin":
      return event.payin.integration === integration;
    case "payout":
      return event.payout.integration === integration;
    case "delivery":
    case "attempt":
      return event.delivery.integration === integration;
    case "reset":
      return event.integration === null || event.integration === integration;
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

import type { Delivery, DeliveryStatus } from "./delivery.ts";
import type { Payin } from "./payin.ts";
import type { Payout } from "./payout.ts";
import type { Records, StreamEvent } from "./records.ts";
import type { Page } from "./table.ts";
import type { WebhookConfiguration } from "./webhook-configuration.ts";

/** Which part of a list is asked for. */
export interface PageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
}

/** The records as one integration sees them, or all of them where it is null: nothing leaks across by forgetting a filter. */
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

  /** Lists are in order of creation; undefined where `after` is no id of the list. */
  payins({ limit, after }: PageRequest, status?: Payin["status"]): Page<Payin> | undefined {
    return this.#records.payins.page(
      limit,
      after,
      (payin) => this.#owns(payin) && is(payin.status, status),
    );
  }

  payouts({ limit, after }: PageRequest, status?: Payout["status"]): Page<Payout> | undefined {
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
    return this.#records.deliveries.page(
      limit,
      after,
      (delivery) =>
        this.#owns(delivery) &&
        is(delivery.status, wanted.status) &&
        is(delivery.type, wanted.type) &&
        is(delivery.transactionId, wanted.transactionId),
    );
  }

  integrations(): string[] {
    const tokens = [...this.#records.integrations.keys()];
    return this.#integration === null
      ? tokens
      : tokens.filter((token) => token === this.#integration);
  }

  /** The integration's own configured webhook. */
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

/** Whether an event is an integration's, or anybody's where that is null. */
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
  }
}

export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly type?: string | undefined;
  readonly transactionId?: string | undefined;
}

function is<Value>(value: Value, wanted: Value | undefined): boolean {
  return wanted === undefined || value === wanted;
}

import type { AssumptionRow } from "../core/assumptions/table.ts";
import type {
  EventType,
  WirePayin,
  WirePayout,
  ConfiguredEvent,
} from "../core/records/transaction.ts";
import type { DeliveryStatus } from "../core/records/delivery.ts";
import type { CallEffect, FaultyOperation, WebhookFaultEffect } from "../core/faults/effects.ts";
import type { FilterValues, PAYIN_FILTERS, PAYOUT_FILTERS } from "../core/state/filters.ts";
import type {
  toWireSeen,
  WireDelivery,
  WireFault,
  WireRequest,
  WireSnapshot,
} from "../core/state/wire.ts";
import type { InCamelCase } from "../text/plain/camel-case.ts";
import type { PayinFixture, PayoutFixture } from "../server/options/fixtures.ts";

// The routes' responses with camelCase names. Values are unchanged: a time is a text, ISO 8601 in UTC, so that it
// equals the text of a webhook and sorts.

export type Payin = InCamelCase<WirePayin>;
export type Payout = InCamelCase<WirePayout>;
/** A webhook, with its attempts; `body` is the exact text that was signed and sent. */
export type Delivery = Omit<InCamelCase<WireDelivery>, "attempts"> & {
  readonly attempts: readonly Attempt[];
};
export type Fault = InCamelCase<WireFault>;
export type Snapshot = InCamelCase<WireSnapshot>;
export type LoggedRequest = InCamelCase<WireRequest>;
/** One POST of a webhook, and its outcome. */
export interface Attempt {
  /** Real time, even if the sandbox's clock is frozen. */
  readonly at: string;
  /** The same by the sandbox's clock. */
  readonly sandboxAt: string;
  /** The merchant's HTTP status; absent without a response, which `error` explains. */
  readonly status?: number;
  readonly error?: string | null;
  readonly durationMs: number;
  /** The first 16 KiB of the merchant's response. */
  readonly response?: string;
  /** The address of a redirect, which is not followed. */
  readonly location?: string;
  readonly retryAfterSeconds?: number;
  /** Whether the attempt is a requested resend. */
  readonly resend?: boolean;
  /** The fault that acted on it; the id is null if a call itself requested it. */
  readonly fault: { readonly id: string | null; readonly effect: string } | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** A summary of a delivery. */
export type SeenDelivery = InCamelCase<ReturnType<typeof toWireSeen>>;
export type { AssumptionRow };

/** A payin, with its image if requested. */
export type CreatedPayin = Payin & { readonly qrCodeBase64?: string };

/** A request of `POST /v1/payins`. Missing members get sample values. */
export type NewPayin = Partial<Omit<PayinFixture, "token" | "status">>;
/**
 * A request of `POST /v1/payouts`. Missing members get sample values; the default Pix key is the receiver's CPF.
 * Sample payouts have one receiver: while one is in progress, another is canceled (assumption `payout.rival`).
 */
export type NewPayout = Partial<Omit<PayoutFixture, "token" | "status">>;

/** Options of a gateway call. */
export interface CallOptions {
  /** Default: a new key. */
  readonly idempotencyKey?: string | undefined;
}

/** Selects payins. Default: all. */
export type PayinFilter = InCamelCase<FilterValues<typeof PAYIN_FILTERS>>;

/** Selects payouts. Default: all. */
export type PayoutFilter = InCamelCase<FilterValues<typeof PAYOUT_FILTERS>>;

/** Selects webhooks. Default: all. */
export interface WebhookFilter {
  readonly type?: EventType | undefined;
  /** The payin's or payout's id. */
  readonly transactionId?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
}

/** An integration's additional webhook address, and the events that it receives. */
export interface WebhookConfiguration {
  readonly webhookUrl: string;
  readonly events: readonly ConfiguredEvent[];
}

/** Selects the webhook to wait for. */
export interface WaitOptions {
  readonly type?: EventType | undefined;
  readonly transactionId?: string | undefined;
  /** The webhook's own id (`evt_…`). */
  readonly id?: string | undefined;
  /** In real time. Default 4,000, at most 600,000. */
  readonly timeoutMs?: number | undefined;
}

export type { CallEffect, WebhookFaultEffect };

/** Members that the request's body, or the event's `data`, must have, with their names on the wire. */
export type FaultMatch = Readonly<Record<string, unknown>>;

/** A fault to inject. */
export type NewFault = {
  readonly match?: FaultMatch | undefined;
  /** How often it applies. Default: always. */
  readonly times?: number | undefined;
  /** From 0 to 1, drawn from the seed. Default 1. */
  readonly probability?: number | undefined;
} & (
  | { readonly on: FaultyOperation; readonly effect: CallEffect }
  | { readonly on: "webhook"; readonly effect: WebhookFaultEffect }
);

/** A duration of sandbox time: the sum of its members. */
export interface Duration {
  readonly days?: number | undefined;
  readonly hours?: number | undefined;
  readonly minutes?: number | undefined;
  readonly seconds?: number | undefined;
  readonly milliseconds?: number | undefined;
}

/** The clock's time, and the events up to it. */
export interface ClockReading {
  readonly now: string;
  readonly mode: "real" | "frozen";
  readonly happened: readonly TimedEvent[];
}

/** An event that became due. */
export interface TimedEvent {
  readonly at: string;
  /** `payin`, `payout`, `delivery` or `attempt`. */
  readonly kind: string;
  /** The record at that time. */
  readonly data: Readonly<Record<string, unknown>>;
}

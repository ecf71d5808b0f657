import type { AssumptionRow } from "../core/assumptions/table.ts";
import type { DeliveryStatus, EventType } from "../core/webhooks/delivery.ts";
import type {
  FaultyOperation,
  OperationEffectText,
  WebhookEffectText,
} from "../core/faults/effects.ts";
import type { PayinStatus } from "../core/payments/payin.ts";
import type { PayoutStatus } from "../core/payments/payout.ts";
import type {
  toWireSeen,
  WireDelivery,
  WireFault,
  WireRequest,
  WireSnapshot,
} from "../core/wire.ts";
import type { WirePayin } from "../core/payments/payin.ts";
import type { WirePayout } from "../core/payments/payout.ts";
import type { ConfiguredEvent } from "../core/webhooks/webhook-configuration.ts";
import type { InCamelCase } from "../core/camel-case.ts";
import type { PayinFixture, PayoutFixture } from "../sandbox/options.ts";

// What the routes answer, under names in camelCase. Values are as they were sent: a time is the text of
// the answer, ISO 8601 in UTC, so that it equals what a webhook says and sorts as it is.

export type Payin = InCamelCase<WirePayin>;
export type Payout = InCamelCase<WirePayout>;
/** A webhook, with every attempt so far; `body` is the exact text that was signed and sent. */
export type Delivery = Omit<InCamelCase<WireDelivery>, "attempts"> & {
  readonly attempts: readonly Attempt[];
};
export type Fault = InCamelCase<WireFault>;
export type Snapshot = InCamelCase<WireSnapshot>;
export type LoggedRequest = InCamelCase<WireRequest>;
/** One POST of a webhook, and how it ended. */
export interface Attempt {
  /** Real time, even where the sandbox's clock stands still. */
  readonly at: string;
  /** The merchant's; absent where no answer came, and `error` says why. */
  readonly status?: number;
  readonly error?: string | null;
  readonly durationMs: number;
  /** The beginning of the merchant's answer. */
  readonly response?: string;
  /** Where a redirect leads, which is not followed. */
  readonly location?: string;
  readonly retryAfterSeconds?: number;
  /** Whether somebody asked for it. */
  readonly resend?: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** A delivery in short. */
export type SeenDelivery = InCamelCase<ReturnType<typeof toWireSeen>>;
export type { AssumptionRow };

/** A payin with its image, where that was asked for. */
export type CreatedPayin = Payin & { readonly qrCodeBase64?: string };

/** A request of `POST /v1/payins`; what is left out has a sample value. */
export type NewPayin = Partial<Omit<PayinFixture, "token" | "status">>;
/**
 * A request of `POST /v1/payouts`, likewise. The key is the receiver's CPF where none is said. Sample payouts
 * go to one receiver: while one is in progress, another is canceled (assumption `payout.rival`).
 */
export type NewPayout = Partial<Omit<PayoutFixture, "token" | "status">>;

/** How a call is made. */
export interface CallOptions {
  /** Repeats the call that had it. Default: a new one. */
  readonly idempotencyKey?: string | undefined;
}

/** Which payins are meant; all of them where nothing is said. */
export interface PayinFilter {
  readonly status?: PayinStatus | undefined;
}

/** Which payouts are meant, likewise. */
export interface PayoutFilter {
  readonly status?: PayoutStatus | undefined;
}

/** Which webhooks are meant, likewise. */
export interface WebhookFilter {
  readonly type?: EventType | undefined;
  /** The payin's or payout's id. */
  readonly transactionId?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
}

/** An address that an integration names beside those of its payins and payouts, and which events it is told of. */
export interface WebhookConfiguration {
  readonly webhookUrl: string;
  readonly events: readonly ConfiguredEvent[];
}

/** Which webhook is waited for. */
export interface WaitOptions {
  readonly type?: EventType | undefined;
  readonly transactionId?: string | undefined;
  /** The webhook's own id (`evt_…`). */
  readonly id?: string | undefined;
  /** In real time. Default 4,000, at most 600,000. */
  readonly timeoutMs?: number | undefined;
}

/** What a fault does to a call. */
export type CallEffect = OperationEffectText;
/** What a fault does to a webhook. */
export type WebhookFaultEffect = WebhookEffectText;

/** Members that the request's body, or the event's `data`, must have, by their names on the wire. */
export type FaultMatch = Readonly<Record<string, unknown>>;

/** A failure as it is ordered. */
export type NewFault = {
  readonly match?: FaultMatch | undefined;
  /** How often it acts. Default: for ever. */
  readonly times?: number | undefined;
  /** From 0 to 1, drawn from the seed. Default 1. */
  readonly probability?: number | undefined;
} & (
  | { readonly on: FaultyOperation; readonly effect: CallEffect }
  | { readonly on: "webhook"; readonly effect: WebhookFaultEffect }
);

/** So much of the sandbox's time; the members are added up. */
export interface Duration {
  readonly days?: number | undefined;
  readonly hours?: number | undefined;
  readonly minutes?: number | undefined;
  readonly seconds?: number | undefined;
  readonly milliseconds?: number | undefined;
}

/** What the clock shows, and what happened on the way there. */
export interface ClockReading {
  readonly now: string;
  readonly mode: "real" | "frozen";
  readonly happened: readonly TimedEvent[];
}

/** Something that fell due, and when. */
export interface TimedEvent {
  readonly at: string;
  /** `payin`, `payout`, `delivery` or `attempt`. */
  readonly kind: string;
  /** The record as it was then. */
  readonly data: Readonly<Record<string, unknown>>;
}

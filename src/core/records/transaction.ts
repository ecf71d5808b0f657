import type { Assumptions } from "../assumptions/table.ts";
import { notProcessable } from "./errors.ts";
import { END_OF_TIME_MS, toIso } from "../../wire/timestamp.ts";
import type { PixKeyType } from "./checks.ts";
import type { Ids } from "./ids.ts";
import { type Message, say } from "../../text/message.ts";

export const PAYIN_STATUSES = ["waiting", "paid", "completed", "canceled", "expired"] as const;
export type PayinStatus = (typeof PAYIN_STATUSES)[number];
export const PAYOUT_STATUSES = ["waiting", "completed", "canceled"] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];
export type PayoutOutcome = Exclude<PayoutStatus, "waiting">;

/** What a kind of transaction does. A new status, or an event that reports one, is a member here. */
interface KindRow {
  readonly statuses: readonly string[];
  /** The final status that each move of a control route gives. */
  readonly moves: Readonly<Record<string, PayinStatus>>;
  /** The status that it gets when it is due. */
  readonly whenDue: PayinStatus;
  /** The event that reports a final status to the transaction's own address. */
  readonly events: Readonly<Partial<Record<PayinStatus, string>>>;
}

export const KINDS = {
  payin: {
    statuses: PAYIN_STATUSES,
    moves: { pay: "paid", cancel: "canceled", expire: "expired" },
    whenDue: "expired",
    events: { paid: "payin.paid", completed: "payin.paid", expired: "payin.expired" },
  },
  payout: {
    statuses: PAYOUT_STATUSES,
    moves: { complete: "completed", cancel: "canceled" },
    whenDue: "completed",
    events: { completed: "payout.completed", canceled: "payout.canceled" },
  },
} as const satisfies Readonly<Record<string, KindRow>>;

export type Kind = keyof typeof KINDS;

/** The events that a configured webhook can subscribe to, by the specification's names. */
export const CONFIGURED_EVENTS = ["payment.received", "payment.failed"] as const;
export type ConfiguredEvent = (typeof CONFIGURED_EVENTS)[number];

export const EVENT_TYPES = [
  "payin.paid",
  "payin.expired",
  "payout.completed",
  "payout.canceled",
  ...CONFIGURED_EVENTS,
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** An integration's address for events, in addition to each transaction's `webhook_url`. */
export interface WebhookConfiguration {
  readonly integration: string;
  readonly webhook_url: string;
  readonly events: readonly ConfiguredEvent[];
}

/** A payin as the merchant requested it, with defaults filled in. */
export type PayinDraft = {
  /** In the unit of `value.unit`, like every `value`. */
  readonly value: number;
  readonly description?: string;
  readonly buyer_cpf: string;
  readonly buyer_name: string;
  readonly buyer_email: string;
  readonly webhook_url: string;
  readonly generate_qrcode: boolean;
  /** In seconds. */
  readonly expiration: number;
};

/** A payout as the merchant requested it. */
export type PayoutDraft = {
  readonly value: number;
  readonly description?: string;
  readonly receiver_cpf: string;
  readonly receiver_name: string;
  readonly receiver_email: string;
  readonly webhook_url: string;
  readonly pix_key: string;
  readonly pix_key_type: PixKeyType;
};

/** The members that payins and payouts share, in addition to their requests'. */
type Shared = {
  readonly id: string;
  /** The payment's id in the Pix system; null without a payment. */
  readonly end_to_end_id: string | null;
  readonly created_at: string;
  /** When it reached its final status. */
  readonly settled_at: string | null;
  /** The `x-api-token` of the integration that it belongs to. */
  readonly integration: string;
};

/** A charge that a merchant created, as lists, webhooks and the state have it. */
export type Payin = PayinDraft &
  Shared & {
    readonly status: PayinStatus;
    /** The charge's txid: 32 letters and digits. */
    readonly pix_id: string;
    readonly acquirer_id: string;
    /** The BR Code, the copy-and-paste text. */
    readonly qr_code: string;
    readonly expires_at: string;
  };
/** Money that a merchant sends, as lists, webhooks and the state have it. */
export type Payout = PayoutDraft & Shared & { readonly status: PayoutStatus };

/** A row of the state: a record as it is shown, and what the sandbox needs beside it. */
export interface Row<Name extends Kind, Shown> {
  readonly kind: Name;
  readonly record: Shown;
  /** Counts the records of the integration; the record's random ids are drawn from it. */
  readonly ordinal: number;
  /** The call's `x-idempotency-key` and its body's JSON text: they identify a repeat. */
  readonly key: string;
  readonly request: string;
  /** When it is settled automatically; null if never, and in its final status. */
  readonly dueMs: number | null;
  /** The status that it gets then, if not its kind's. */
  readonly whenDue?: "canceled" | undefined;
  /** The name of the fixture that it comes from, if any: each fixture is created once. */
  readonly fixture?: string | undefined;
}

export type Transaction = Row<"payin", Payin> | Row<"payout", Payout>;
export type TransactionOf<Name extends Kind> = Extract<Transaction, { readonly kind: Name }>;
export type Draft = PayinDraft | PayoutDraft;

/** What the gateway adds to a draft when it creates a record. */
export interface Added {
  readonly integration: string;
  readonly nowMs: number;
  readonly ids: ReturnType<Ids[Kind]>;
  /** The BR Code, of a payin. */
  readonly qr_code: string;
}

/** A waiting payin. */
export function newPayin(draft: PayinDraft, { ids, qr_code, integration, nowMs }: Added): Payin {
  return {
    id: ids.id,
    status: "waiting",
    ...draft,
    pix_id: ids.pix_id,
    acquirer_id: ids.acquirer_id,
    end_to_end_id: null,
    qr_code,
    created_at: toIso(nowMs),
    expires_at: toIso(nowMs + draft.expiration * 1000),
    settled_at: null,
    integration,
  };
}

/** A waiting payout. */
export function newPayout(draft: PayoutDraft, { ids, integration, nowMs }: Added): Payout {
  return {
    id: ids.id,
    status: "waiting",
    ...draft,
    end_to_end_id: null,
    created_at: toIso(nowMs),
    settled_at: null,
    integration,
  };
}

/** When a payout that is created now completes by itself; null if it does not. */
export function completionOf(nowMs: number, choice: Assumptions["payout.auto"]): number | null {
  if (choice === "never") return null;
  const atMs = nowMs + Number(choice.slice("complete_after:".length)) * 1000;
  return atMs < END_OF_TIME_MS ? atMs : null;
}

/**
 * Returns the transaction in its final status.
 * @throws GatewayError NOT_PROCESSABLE if it has a final status already.
 */
export function settled(
  transaction: Transaction,
  status: PayinStatus,
  nowMs: number,
  ids: Pick<Ids, "endToEnd">,
): Transaction {
  const { kind, record, ordinal } = transaction;
  if (record.status !== "waiting" || status === "waiting")
    throw notProcessable(FINAL[kind](record.status, status));
  const end_to_end_id = isPaid(status) ? ids.endToEnd(record.integration, ordinal, nowMs) : null;
  const settled_at = toIso(nowMs);
  const after = { ...record, status, end_to_end_id, settled_at };
  return { ...transaction, dueMs: null, record: after } as Transaction;
}

/** Why a transaction in a final status does not get another one; each kind has its own word in each language. */
const FINAL: Readonly<Record<Kind, (status: string, other: string) => Message>> = {
  payin: (status, other) =>
    status === other
      ? say`This payin is already ${status}.`
      : say`A payin that is ${status} cannot become ${other}.`,
  payout: (status, other) =>
    status === other
      ? say`This payout is already ${status}.`
      : say`A payout that is ${status} cannot become ${other}.`,
};

/** The status that a transaction gets when it is due. */
export function statusWhenDue({ kind, whenDue }: Transaction): PayinStatus {
  return whenDue ?? KINDS[kind].whenDue;
}

/** Whether the status means that the money has moved. */
export function isPaid(status: PayinStatus): boolean {
  return status === "paid" || status === "completed";
}

/**
 * The events that report a transaction's final status: one to its own address, and one to the configured address.
 * @param configured the events for which an address is configured
 */
export function eventsReporting(
  kind: Kind,
  status: PayinStatus,
  assumptions: Pick<Assumptions, "payin.expiry_event">,
  configured: readonly string[],
): EventType[] {
  const { events }: KindRow = KINDS[kind];
  const own = events[status] as EventType | undefined;
  const isSent = own !== "payin.expired" || assumptions["payin.expiry_event"] === "webhook";
  const general = isPaid(status) ? "payment.received" : "payment.failed";
  return [
    ...(own && isSent ? [own] : []),
    ...(configured.includes(general) ? ([general] as const) : []),
  ];
}

export type WebhookPayin = Omit<Payin, "integration">;
export type WebhookPayout = Omit<Payout, "integration">;

/** A record in webhooks: without the secret token. */
export function toWebhookData(record: Payin | Payout): WebhookPayin | WebhookPayout {
  const { integration: _secret, ...data } = record;
  return data;
}

/** Names for code that has other payins and payouts too. */
export type { Payin as WirePayin, Payout as WirePayout };

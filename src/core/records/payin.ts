import type { Assumptions } from "../assumptions/table.ts";
import { notProcessable } from "./errors.ts";
import { BOOLEAN, INTEGER, oneOf, type StoredForm, TEXT, TIME } from "./stored-form.ts";
import { toIso, toIsoOrNull } from "../../wire/timestamp.ts";
import { toWireValue } from "./checks.ts";
import {
  STORED_TRANSACTION,
  type TransactionDraft,
  type TransactionRecord,
} from "./transaction-record.ts";
import { say } from "../../text/message.ts";

export const PAYIN_STATUSES = ["waiting", "paid", "completed", "canceled", "expired"] as const;
export type PayinStatus = (typeof PAYIN_STATUSES)[number];

/** A payin as the merchant requested it, with defaults filled in. */
export interface PayinDraft extends TransactionDraft {
  readonly buyerCpf: string;
  readonly buyerName: string;
  readonly buyerEmail: string;
  readonly generateQrcode: boolean;
  readonly expirationSeconds: number;
}

/** A charge that a merchant created. */
export interface Payin extends PayinDraft, TransactionRecord {
  readonly status: PayinStatus;
  /** The charge's txid: 32 letters and digits. */
  readonly pixId: string;
  readonly acquirerId: string;
  /** The BR Code, the copy-and-paste text. */
  readonly qrCode: string;
  readonly expiresAtMs: number;
}

export const STORED_PAYIN: StoredForm<Payin> = {
  ...STORED_TRANSACTION,
  status: oneOf(PAYIN_STATUSES),
  buyerCpf: TEXT,
  buyerName: TEXT,
  buyerEmail: TEXT,
  generateQrcode: BOOLEAN,
  expirationSeconds: INTEGER,
  pixId: TEXT,
  acquirerId: TEXT,
  qrCode: TEXT,
  expiresAtMs: TIME,
};

/** What the gateway adds to a draft when it creates a payin. */
export type PayinParts = Pick<
  Payin,
  | "id"
  | "integration"
  | "ordinal"
  | "idempotencyKey"
  | "request"
  | "pixId"
  | "acquirerId"
  | "qrCode"
  | "createdAtMs"
  | "cancelsAtMs"
  | "fixture"
>;

/** A waiting payin. Its members are written out: spreading the draft costs more than all the rest of a creation. */
export function newPayin(draft: PayinDraft, added: PayinParts): Payin {
  return {
    id: added.id,
    integration: added.integration,
    ordinal: added.ordinal,
    idempotencyKey: added.idempotencyKey,
    request: added.request,
    status: "waiting",
    valueCents: draft.valueCents,
    valueUnit: draft.valueUnit,
    description: draft.description,
    buyerCpf: draft.buyerCpf,
    buyerName: draft.buyerName,
    buyerEmail: draft.buyerEmail,
    webhookUrl: draft.webhookUrl,
    generateQrcode: draft.generateQrcode,
    expirationSeconds: draft.expirationSeconds,
    pixId: added.pixId,
    acquirerId: added.acquirerId,
    qrCode: added.qrCode,
    createdAtMs: added.createdAtMs,
    expiresAtMs: added.createdAtMs + draft.expirationSeconds * 1000,
    cancelsAtMs: added.cancelsAtMs,
    settledAtMs: null,
    endToEndId: null,
    fixture: added.fixture,
  };
}

/** A payin in webhooks: the request's members, the response's, and its state, without the secret token. */
export function toWebhookPayin(payin: Payin, assumptions: Assumptions) {
  return {
    id: payin.id,
    status: payin.status,
    value: toWireValue(payin.valueCents, payin.valueUnit ?? assumptions["value.unit"]),
    ...(payin.description !== undefined && { description: payin.description }),
    buyer_cpf: payin.buyerCpf,
    buyer_name: payin.buyerName,
    buyer_email: payin.buyerEmail,
    webhook_url: payin.webhookUrl,
    generate_qrcode: payin.generateQrcode,
    expiration: payin.expirationSeconds,
    pix_id: payin.pixId,
    acquirer_id: payin.acquirerId,
    end_to_end_id: payin.endToEndId,
    qr_code: payin.qrCode,
    created_at: toIso(payin.createdAtMs),
    expires_at: toIso(payin.expiresAtMs),
    settled_at: toIsoOrNull(payin.settledAtMs),
  };
}

/** A payin in control routes and commands. */
export function toWirePayin(payin: Payin, assumptions: Assumptions) {
  return { ...toWebhookPayin(payin, assumptions), integration: payin.integration };
}

export type WebhookPayin = ReturnType<typeof toWebhookPayin>;
export type WirePayin = ReturnType<typeof toWirePayin>;

/**
 * Returns the payin in its final status.
 * @throws GatewayError NOT_PROCESSABLE if it has a final status already.
 */
export function settlePayin(
  payin: Payin,
  status: PayinStatus,
  settledAtMs: number,
  endToEndId: string | null,
): Payin {
  if (payin.status !== "waiting" || status === "waiting")
    throw notProcessable(
      payin.status === status
        ? say`This payin is already ${status}.`
        : say`A payin that is ${payin.status} cannot become ${status}.`,
    );
  return { ...payin, status, settledAtMs, endToEndId };
}

/** Whether the status means that the buyer has paid. */
export function isPaid(status: PayinStatus): boolean {
  return status === "paid" || status === "completed";
}

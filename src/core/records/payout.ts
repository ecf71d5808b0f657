import type { Assumptions } from "../assumptions/table.ts";
import { notProcessable } from "./errors.ts";
import { oneOf, optional, type StoredForm, TEXT, TIME } from "./stored-form.ts";
import { END_OF_TIME_MS, toIso, toIsoOrNull } from "../../wire/timestamp.ts";
import { toWireValue, PIX_KEY_TYPES, type PixKeyType } from "./checks.ts";
import {
  STORED_TRANSACTION,
  type TransactionDraft,
  type TransactionRecord,
} from "./transaction-record.ts";
import { say } from "../../text/message.ts";

export const PAYOUT_STATUSES = ["waiting", "completed", "canceled"] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];
export type PayoutOutcome = Exclude<PayoutStatus, "waiting">;

/** A payout as the merchant requested it. */
export interface PayoutDraft extends TransactionDraft {
  readonly receiverCpf: string;
  readonly receiverName: string;
  readonly receiverEmail: string;
  readonly pixKey: string;
  readonly pixKeyType: PixKeyType;
}

/** Money that a merchant sends. */
export interface Payout extends PayoutDraft, TransactionRecord {
  readonly status: PayoutStatus;
  /** When it completes automatically, if ever. */
  readonly completesAtMs?: number | undefined;
}

export const STORED_PAYOUT: StoredForm<Payout> = {
  ...STORED_TRANSACTION,
  status: oneOf(PAYOUT_STATUSES),
  receiverCpf: TEXT,
  receiverName: TEXT,
  receiverEmail: TEXT,
  pixKey: TEXT,
  pixKeyType: oneOf(PIX_KEY_TYPES),
  completesAtMs: optional(TIME),
};

/** What the gateway adds to a draft when it creates a payout. */
export type PayoutParts = Pick<
  Payout,
  | "id"
  | "integration"
  | "ordinal"
  | "idempotencyKey"
  | "request"
  | "createdAtMs"
  | "completesAtMs"
  | "cancelsAtMs"
  | "fixture"
>;

/** A waiting payout. */
export function newPayout(draft: PayoutDraft, added: PayoutParts): Payout {
  return { ...draft, ...added, status: "waiting", settledAtMs: null, endToEndId: null };
}

/** A payout in webhooks: the request's members and its state, without the secret token. */
export function toWebhookPayout(payout: Payout, assumptions: Assumptions) {
  return {
    id: payout.id,
    status: payout.status,
    value: toWireValue(payout.valueCents, payout.valueUnit ?? assumptions["value.unit"]),
    ...(payout.description !== undefined && { description: payout.description }),
    receiver_cpf: payout.receiverCpf,
    receiver_name: payout.receiverName,
    receiver_email: payout.receiverEmail,
    webhook_url: payout.webhookUrl,
    pix_key: payout.pixKey,
    pix_key_type: payout.pixKeyType,
    end_to_end_id: payout.endToEndId,
    created_at: toIso(payout.createdAtMs),
    settled_at: toIsoOrNull(payout.settledAtMs),
  };
}

/** A payout in control routes and commands. */
export function toWirePayout(payout: Payout, assumptions: Assumptions) {
  return { ...toWebhookPayout(payout, assumptions), integration: payout.integration };
}

export type WebhookPayout = ReturnType<typeof toWebhookPayout>;
export type WirePayout = ReturnType<typeof toWirePayout>;

/**
 * Returns the payout in its final status.
 * @throws GatewayError NOT_PROCESSABLE if it has a final status already.
 */
export function settlePayout(
  payout: Payout,
  status: PayoutStatus,
  settledAtMs: number,
  endToEndId: string | null,
): Payout {
  if (payout.status !== "waiting" || status === "waiting")
    throw notProcessable(
      payout.status === status
        ? say`This payout is already ${status}.`
        : say`A payout that is ${payout.status} cannot become ${status}.`,
    );
  return { ...payout, status, settledAtMs, endToEndId };
}

/** When a payout that is created now completes by itself; undefined if it does not. */
export function completionOf(
  nowMs: number,
  choice: Assumptions["payout.auto"],
): number | undefined {
  if (choice === "never") return undefined;
  const atMs = nowMs + Number(choice.slice("complete_after:".length)) * 1000;
  return atMs < END_OF_TIME_MS ? atMs : undefined;
}

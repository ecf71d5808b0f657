import type { Assumptions } from "../assumptions/table.ts";
import { notProcessable } from "../errors.ts";

export type PayinStatus = "waiting" | "paid" | "completed" | "canceled" | "expired";

/** A charge as the merchant asked for it, defaults filled in. */
export interface PayinDraft {
  readonly valueCents: number;
  /** The unit in which `value` was sent and is shown; absent in a record of an older version. */
  readonly valueUnit?: Assumptions["value.unit"] | undefined;
  readonly description?: string | undefined;
  readonly buyerCpf: string;
  readonly buyerName: string;
  readonly buyerEmail: string;
  readonly webhookUrl: string;
  readonly generateQrcode: boolean;
  readonly expirationSeconds: number;
}

/** A charge that the merchant created. */
export interface Payin extends PayinDraft {
  readonly id: string;
  /** The `x-api-token` whose world it belongs to. */
  readonly integration: string;
  /** Its place among the records that this integration created; what is random about it is drawn from here. */
  readonly ordinal: number;
  /** The `x-idempotency-key` that the call took, and the JSON text that it sent: a repeat is known by them. */
  readonly idempotencyKey: string;
  readonly request: string;
  readonly status: PayinStatus;
  /** The charge's txid: 32 letters and digits. */
  readonly pixId: string;
  readonly acquirerId: string;
  /** The BR code, the copy-and-paste text. */
  readonly qrCode: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** When it is canceled by itself; absent where nothing says so. */
  readonly cancelsAtMs?: number | undefined;
  /** When it reached its final status. */
  readonly settledAtMs: number | null;
  /** The payment's id in the PIX system; there is none before a payment. */
  readonly endToEndId: string | null;
  /** The number of the event that last changed it. */
  readonly eventNumber: number;
  /** The fixture that it was made from, if any: a restart makes no second one. */
  readonly fixture?: string | undefined;
}

/** Which status may follow which: a final status is an empty row. */
const NEXT_STATUSES: Readonly<Record<PayinStatus, readonly PayinStatus[]>> = {
  waiting: ["paid", "completed", "canceled", "expired"],
  paid: [],
  completed: [],
  canceled: [],
  expired: [],
};

/**
 * The payin in its final status.
 * @throws GatewayError NOT_PROCESSABLE where its status does not allow that.
 */
export function settlePayin(
  payin: Payin,
  status: PayinStatus,
  settledAtMs: number,
  endToEndId: string | null,
  eventNumber: number,
): Payin {
  if (!NEXT_STATUSES[payin.status].includes(status))
    throw notProcessable(payinIsFinal(payin, status));
  return { ...payin, status, settledAtMs, endToEndId, eventNumber };
}

function payinIsFinal({ status }: Payin, next: PayinStatus) {
  return {
    en: `A payin that is ${status} cannot become ${next}.`,
    pt: `Uma cobrança com status ${status} não pode passar a ${next}.`,
  };
}

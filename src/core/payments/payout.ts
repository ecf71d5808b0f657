import type { Assumptions } from "../assumptions/table.ts";
import { notProcessable } from "../errors.ts";
import type { PixKeyType } from "./pix-key.ts";

export type PayoutStatus = "waiting" | "completed" | "canceled";
export type PayoutOutcome = Exclude<PayoutStatus, "waiting">;

/** A payment as the merchant asked for it. */
export interface PayoutDraft {
  readonly valueCents: number;
  /** The unit in which `value` was sent and is shown; absent in a record of an older version. */
  readonly valueUnit?: Assumptions["value.unit"] | undefined;
  readonly description?: string | undefined;
  readonly receiverCpf: string;
  readonly receiverName: string;
  readonly receiverEmail: string;
  readonly webhookUrl: string;
  readonly pixKey: string;
  readonly pixKeyType: PixKeyType;
}

/** Money that the merchant sends. */
export interface Payout extends PayoutDraft {
  readonly id: string;
  /** The `x-api-token` whose world it belongs to. */
  readonly integration: string;
  /** Its place among the records that this integration created; what is random about it is drawn from here. */
  readonly ordinal: number;
  /** The `x-idempotency-key` that the call took, and the JSON text that it sent: a repeat is known by them. */
  readonly idempotencyKey: string;
  readonly request: string;
  readonly status: PayoutStatus;
  readonly createdAtMs: number;
  /** When it completes by itself; absent where it waits for a simulation. */
  readonly completesAtMs?: number | undefined;
  /** When it is canceled by itself; absent where nothing says so. */
  readonly cancelsAtMs?: number | undefined;
  /** When it reached its final status. */
  readonly settledAtMs: number | null;
  /** The payment's id in the PIX system; a payout that was not made has none. */
  readonly endToEndId: string | null;
  /** The number of the event that last changed it. */
  readonly eventNumber: number;
  /** The fixture that it was made from, if any: a restart makes no second one. */
  readonly fixture?: string | undefined;
}

/** Which status may follow which: a final status is an empty row. */
const NEXT_STATUSES: Readonly<Record<PayoutStatus, readonly PayoutStatus[]>> = {
  waiting: ["completed", "canceled"],
  completed: [],
  canceled: [],
};

/**
 * The payout in its final status.
 * @throws GatewayError NOT_PROCESSABLE where its status does not allow that.
 */
export function settlePayout(
  payout: Payout,
  status: PayoutOutcome,
  settledAtMs: number,
  endToEndId: string | null,
  eventNumber: number,
): Payout {
  if (!NEXT_STATUSES[payout.status].includes(status))
    throw notProcessable(payoutIsFinal(payout, status));
  return { ...payout, status, settledAtMs, endToEndId, eventNumber };
}

function payoutIsFinal({ status }: Payout, next: PayoutOutcome) {
  return {
    en: `A payout that is ${status} cannot become ${next}.`,
    pt: `Um pagamento com status ${status} não pode passar a ${next}.`,
  };
}

import type { WireDelivery } from "./wire.ts";

/** Where the payin or payout is that a webhook reports. */
export function transactionPlace({ type, transaction_id, body }: WireDelivery): {
  readonly pane: "payins" | "payouts";
  readonly id: string;
} {
  const isPayout =
    type.startsWith("payout.") || (!type.startsWith("payin.") && body.includes('"receiver_cpf":'));
  return { pane: isPayout ? "payouts" : "payins", id: transaction_id };
}

import { BoundedMap } from "./bounded-map.ts";
import type { Payout } from "../payments/payout.ts";
import type { Watch } from "./observation.ts";
import type { Tally } from "./tally.ts";

/** How many canceled payouts are watched; the oldest is dropped first. */
const MAX_CANCELED = 1000;

/** A canceled payout of which the merchant was told. */
interface Canceled {
  readonly id: string;
  readonly integration: string;
  readonly receiverCpf: string;
}

/** Judges whether the merchant sends a new payout to the receiver of a canceled one. */
export function canceledPayouts(tally: Tally): Watch {
  const canceled = new BoundedMap<string, Canceled>(MAX_CANCELED);
  return {
    attempt: ({ delivery, verdict, wasAccepted, atMs }) => {
      if (delivery.type !== "payout.canceled" || verdict !== "accepted" || wasAccepted) return;
      const { transactionId, integration, id } = delivery;
      const { data } = JSON.parse(delivery.body) as { data: { receiver_cpf: string } };
      canceled.set(transactionId, {
        id: transactionId,
        integration,
        receiverCpf: data.receiver_cpf,
      });
      tally.broken(integration, "canceled_payout_ignored", transactionId, {
        atMs,
        text: {
          en: `${id} reported that payout ${transactionId} was canceled; no new payout to its receiver followed.`,
          pt: `${id} informou que o payout ${transactionId} foi cancelado; nenhum payout novo para o recebedor veio depois.`,
        },
        deliveryId: id,
        transactionId,
        command: `pix-sandbox webhooks resend ${id}`,
      });
    },
    record: ({ noun, record }) => {
      if (noun !== "payout" || canceled.size === 0) return;
      const { receiverCpf } = record as Payout;
      for (const one of canceled.values()) {
        if (one.integration !== record.integration || one.receiverCpf !== receiverCpf) continue;
        tally.mended(one.integration, "canceled_payout_ignored", one.id);
        canceled.delete(one.id);
        return;
      }
    },
    reset: (integration) => {
      for (const [id, one] of canceled)
        if (integration === null || one.integration === integration) canceled.delete(id);
    },
  };
}

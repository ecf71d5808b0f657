import { BoundedMap, keyOf, prefixOf, RecentMap, type Tally } from "./tally.ts";
import type { Evidence } from "./finding.ts";
import type { SeenAttempt, SeenCreation, Watch } from "./observation.ts";
import { say } from "../text/message.ts";

/** How many canceled payouts are watched; the oldest is dropped first, and no longer counts. */
export const MAX_CANCELED = 1000;
/** For how many receivers the newest payout is remembered. */
const MAX_RECEIVERS = 5000;

/** A canceled payout of which the merchant was told. */
interface Canceled {
  readonly integration: string;
  /** Its integration and receiver. */
  readonly receiver: string;
  /** Real time at which the webhook was sent. */
  readonly sentAtMs: number;
}

/**
 * Judges whether the merchant requests a new payout to the receiver of a canceled one, as soon as the webhook was
 * sent: it may do so before it responds to the webhook.
 */
export function canceledPayouts(tally: Tally): Watch {
  const canceled = new BoundedMap<string, Canceled>(MAX_CANCELED, (id, { integration }) =>
    tally.withdrawn(integration, "canceled_payout_ignored", id),
  );
  /** When the newest payout to each receiver was requested, in real time. */
  const newest = new RecentMap<number>(MAX_RECEIVERS);
  return {
    attempt: (seen) => {
      const { delivery, verdict, wasAccepted, isForged, isOfMerchant, startedAtMs } = seen;
      const { type, transactionId, integration, body } = delivery;
      if (type !== "payout.canceled" || verdict !== "accepted" || wasAccepted || isForged) return;
      if (!isOfMerchant) return;
      const cpf = receiverCpf(body);
      if (cpf === undefined) return;
      const receiver = keyOf(integration, cpf);
      if ((newest.get(receiver) ?? -Infinity) >= startedAtMs)
        return tally.kept(integration, "canceled_payout_ignored");
      canceled.set(transactionId, { integration, receiver, sentAtMs: startedAtMs });
      tally.broken(integration, "canceled_payout_ignored", transactionId, evidenceOf(seen));
    },
    creation: ({ noun, keyUse, integration, body, startedAtMs }: SeenCreation) => {
      const cpf = noun === "payout" && keyUse === "new" ? receiverCpf(body) : undefined;
      if (cpf === undefined) return;
      const receiver = keyOf(integration, cpf);
      newest.set(receiver, startedAtMs);
      for (const [id, one] of canceled) {
        if (one.receiver !== receiver || startedAtMs < one.sentAtMs) continue;
        canceled.delete(id);
        tally.mended(integration, "canceled_payout_ignored", id);
        // One payout makes up for one.
        return;
      }
    },
    reset: (integration) => {
      const prefix = prefixOf(integration);
      for (const [id, { receiver }] of canceled)
        if (receiver.startsWith(prefix)) canceled.delete(id);
      newest.clear(prefix);
    },
  };
}

/** The receiver in the text of a request or of a webhook. It was checked before: it needs no parser. */
function receiverCpf(text: string | undefined): string | undefined {
  return /"receiver_cpf"\s*:\s*"(\d{11})"/.exec(text ?? "")?.[1];
}

function evidenceOf({ delivery: { id, transactionId }, atMs }: SeenAttempt): () => Evidence {
  return () => ({
    atMs,
    text: say`${id} reported that payout ${transactionId} was canceled; no new payout to its receiver followed.`,
    deliveryId: id,
    transactionId,
    command: `npx pix-sandbox webhooks resend ${id}`,
  });
}

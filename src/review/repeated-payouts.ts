import type { Evidence } from "./finding.ts";
import type { FindByKey } from "./keys.ts";
import type { Watch } from "./observation.ts";
import { paymentIn } from "./payments.ts";
import { MAX_INTEGRATIONS, prefixOf, RecentMap, type Tally } from "./tally.ts";
import { say } from "../text/message.ts";

/** How many payouts are compared with a new one; the oldest are dropped first. */
const MAX_COMPARED = 1000;

interface Paid {
  readonly id: string;
  readonly key: string;
  readonly description: string;
}

/**
 * Judges whether a payout that was completed is requested again under another key. Only a description with a number,
 * such as that of an order, shows that both have the same purpose.
 */
export function repeatedPayouts(tally: Tally, findByKey: FindByKey): Watch {
  const newest = new RecentMap<Paid>(MAX_COMPARED);
  /** The integrations that have requested a payout. */
  const paying = new RecentMap<true>(MAX_INTEGRATIONS);
  return {
    of: "payout",
    record: ({ record }) => {
      const { integration, id, idempotencyKey: key, request, createdAtMs } = record;
      const payment = paymentIn(integration, request);
      if (!payment || !/\d/.test(payment.description)) return;
      const { name, description } = payment;
      const before = newest.get(name);
      newest.set(name, { id, key, description });
      const isFirst = !paying.get(integration);
      if (isFirst) paying.set(integration, true);
      const same = before?.description === description && before.key !== key ? before : undefined;
      const earlier = same && findByKey(integration, same.key);
      // One that was canceled, or is in progress, has not sent the money.
      const isPaid =
        earlier !== undefined && earlier.id === same?.id && earlier.status === "completed";
      if (isPaid)
        tally.broken(
          integration,
          "payout_created_twice",
          id,
          evidenceOf(id, earlier.id, createdAtMs),
        );
      else if (!isFirst) tally.kept(integration, "payout_created_twice");
    },
    reset: (integration) => newest.clear(prefixOf(integration)),
  };
}

function evidenceOf(id: string, firstId: string, atMs: number): () => Evidence {
  return () => ({
    atMs,
    text: say`Payout ${id} has the receiver, the value and the description of ${firstId}, which is completed, and another key.`,
    transactionId: id,
    command: `npx pix-sandbox export --as curl --transaction ${id}`,
  });
}

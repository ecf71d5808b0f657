import type { Evidence } from "./finding.ts";
import type { FindByKey } from "./keys.ts";
import type { Watch } from "./observation.ts";
import { type Payment, paymentIn } from "./payments.ts";
import { MAX_INTEGRATIONS, prefixOf, RecentMap, type Tally } from "./tally.ts";
import { say } from "../text/message.ts";

/** How many payouts are compared with a new one; the oldest are dropped first. */
const MAX_COMPARED = 1000;

/** How many payouts of one payment are. */
const MAX_EQUAL = 8;

interface Requested {
  readonly id: string;
  readonly key: string;
  readonly description: string;
}

/**
 * Judges whether a payout is completed twice, under two keys, or requested again after the first was completed. Only a
 * description with a number, such as that of an order, shows that both have the same purpose.
 */
export function repeatedPayouts(tally: Tally, findByKey: FindByKey): Watch {
  /** The newest payouts of each payment, oldest first. */
  const newest = new RecentMap<readonly Requested[]>(MAX_COMPARED);
  /** The integrations that have requested a payout. */
  const paying = new RecentMap<true>(MAX_INTEGRATIONS);
  /** One that was canceled, or is in progress, has not sent the money. */
  const completed = (integration: string, { name, description }: Payment): readonly Requested[] =>
    (newest.get(name) ?? []).filter((one) => {
      const record = findByKey(integration, one.key);
      const isIts = one.description === description && record?.id === one.id;
      return isIts && record.status === "completed";
    });
  const rule = "payout_created_twice";
  return {
    of: "payout",
    record: ({ record }) => {
      const { integration, id, idempotencyKey: key, request, createdAtMs } = record;
      const payment = paymentIn(integration, request);
      if (!payment || !/\d/.test(payment.description)) return;
      const { name, description } = payment;
      const earlier = completed(integration, payment).at(-1);
      newest.set(name, [...(newest.get(name) ?? []), { id, key, description }].slice(-MAX_EQUAL));
      const isFirst = !paying.get(integration);
      if (isFirst) paying.set(integration, true);
      if (earlier) tally.broken(integration, rule, id, evidenceOf(id, earlier.id, createdAtMs));
      else if (!isFirst) tally.kept(integration, rule);
    },
    attempt: ({ delivery: { integration, type, body }, atMs }) => {
      const payment = type === "payout.completed" ? paymentIn(integration, body) : undefined;
      const [first, ...others] = payment ? completed(integration, payment) : [];
      for (const { id } of first ? others : [])
        tally.broken(integration, rule, id, evidenceOf(id, first?.id ?? "", atMs));
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

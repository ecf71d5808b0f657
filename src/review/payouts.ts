import { BoundedMap, keyOf, MAX_INTEGRATIONS, prefixOf, RecentMap, type Tally } from "./tally.ts";
import type { Evidence } from "./finding.ts";
import type { FindByKey } from "./keys.ts";
import type { SeenAttempt, SeenCreation, Watch } from "./observation.ts";
import { haveSamePurpose, type Payment, paymentIn } from "./payments.ts";
import { namesOrder } from "./repeated-charges.ts";
import { PATIENCE_MS } from "./unknown-outcomes.ts";
import { type Message, say } from "../text/message.ts";

/** How many canceled payouts are watched; the oldest is dropped first, and no longer counts. */
const MAX_CANCELED = 1000;
/** For how many payments the newest payouts are remembered. */
const MAX_PAYMENTS = 5000;
/** So many payouts of one payment, all but the last canceled, are a loop: a merchant with a limit stops before. */
const LOOP = 8;

const IGNORED = "canceled_payout_ignored";

/** A canceled payout whose webhook the merchant has accepted. */
interface Canceled {
  readonly integration: string;
  /** The name of its payment. */
  readonly payment: string;
  /** Real time at which the webhook was sent. */
  readonly sentAtMs: number;
}

/** A payout that a call has created. */
interface Created {
  readonly id: string;
  readonly key: string;
  readonly description: string;
  /** Real time. */
  readonly startedAtMs: number;
  /** Whether its client got the response. */
  readonly isKnown: boolean;
}

/**
 * Judges whether a payout is completed twice, under two keys, or requested again after the first was completed. And
 * what the merchant does about a canceled one: it requests a new one, once, as soon as the webhook was sent; it may do
 * so before it responds to the webhook.
 */
export function payouts(tally: Tally, findByKey: FindByKey): Watch {
  const canceled = new BoundedMap<string, Canceled>(MAX_CANCELED, (id, { integration }) => {
    tally.withdrawn(integration, IGNORED, id);
  });
  /** The newest call that used the key of a payout again, though its client got the response. */
  const repeats = new RecentMap<SeenCreation>(MAX_CANCELED);
  /** The newest payouts of each payment, oldest first. */
  const created = new RecentMap<readonly Created[]>(MAX_PAYMENTS);
  /** The integrations that have requested a payout for an order. */
  const paying = new RecentMap<true>(MAX_INTEGRATIONS);
  /** When the first cancellation of each payment was reported, in real time. */
  const reported = new RecentMap<number>(MAX_PAYMENTS);

  const statusOf = (integration: string, { id, key }: Created): string | undefined => {
    const record = findByKey(integration, key)?.record;
    return record?.id === id ? record.status : undefined;
  };

  /** One that was canceled, or is in progress, has not sent the money. */
  const completed = (integration: string, { name, description }: Payment): readonly Created[] =>
    (created.get(name) ?? []).filter(
      (one) => one.description === description && statusOf(integration, one) === "completed",
    );

  const isAlive = (integration: string, one: Created): boolean =>
    ["waiting", "completed"].includes(statusOf(integration, one) ?? "");

  /** The payouts that have the same purpose, oldest first. */
  const withPurposeOf = ({ name, description }: Payment): readonly Created[] =>
    (created.get(name) ?? []).filter((one) => haveSamePurpose(one.description, description));

  const breakBy = (call: SeenCreation, id: string): void => {
    const { integration, startedAtMs, requestId } = call;
    const text = say`${requestId} used the key of payout ${id} again, after it was canceled: that sends nothing.`;
    const untilMs = startedAtMs + PATIENCE_MS;
    tally.broken(integration, IGNORED, id, aboutPayout(id, call, text), untilMs);
  };

  const seeCanceled = (seen: SeenAttempt, payment: Payment): void => {
    const { delivery, startedAtMs } = seen;
    const { transactionId, integration } = delivery;
    const isReplaced = created
      .get(payment.name)
      ?.some((one) => one.id !== transactionId && one.startedAtMs >= startedAtMs);
    if (isReplaced) return tally.kept(integration, IGNORED);
    const twin = withPurposeOf(payment).findLast(
      (one) => one.id !== transactionId && isAlive(integration, one),
    )?.id;
    if (twin !== undefined)
      return tally.unseen(
        integration,
        IGNORED,
        () =>
          say`Payout ${transactionId} was canceled; ${twin} pays the same to the same receiver. If both had one purpose, there is nothing to do.`,
      );
    canceled.set(transactionId, { integration, payment: payment.name, sentAtMs: startedAtMs });
    const repeat = repeats.get(keyOf(integration, transactionId));
    if (repeat && repeat.startedAtMs >= startedAtMs) breakBy(repeat, transactionId);
    // Whether a person decides about it cannot be seen.
    tally.unseen(
      integration,
      IGNORED,
      () =>
        say`Payout ${transactionId} was canceled. If its receiver is still owed the money, request a new payout with a new key, or tell a person.`,
    );
  };

  const createdTwice = (integration: string, id: string, first: Created, atMs: number): void => {
    const text = say`Payout ${id} has the receiver, the value and the description of ${first.id}, which is completed, and another key.`;
    tally.broken(integration, "payout_created_twice", id, aboutPayout(id, { atMs }, text));
  };

  const judgeAgain = (integration: string, payment: Payment, id: string, atMs: number): void => {
    if (!namesOrder(payment.description)) return;
    const earlier = completed(integration, payment).at(-1);
    if (earlier) createdTwice(integration, id, earlier, atMs);
    else if (paying.get(integration)) tally.kept(integration, "payout_created_twice");
    paying.set(integration, true);
  };

  /** Two payouts took the place of a canceled one. */
  const judgeTwice = (
    integration: string,
    payment: Payment,
    sinceMs: number,
    atMs: number,
  ): void => {
    if (!namesOrder(payment.description)) return;
    const [first, second] = withPurposeOf(payment).filter(
      (one) => one.startedAtMs >= sinceMs && isAlive(integration, one),
    );
    if (!first || !second) return;
    const text = say`Payouts ${first.id} and ${second.id} both replace the same canceled payout.`;
    tally.broken(integration, "cancel_loop", second.id, aboutPayout(second.id, { atMs }, text));
  };

  const seeCreated = (integration: string, payment: Payment, one: Created, atMs: number): void => {
    created.set(payment.name, [...(created.get(payment.name) ?? []), one].slice(-LOOP));
    const ended = withPurposeOf(payment).filter(
      (other) => other !== one && statusOf(integration, other) === "canceled",
    );
    if (ended.length >= LOOP - 1) {
      const text = say`Payout ${one.id} follows ${ended.length} payouts of the same value to the same receiver, all canceled.`;
      tally.broken(integration, "cancel_loop", payment.name, aboutPayout(one.id, { atMs }, text));
    } else if (ended.length > 0) tally.kept(integration, "cancel_loop");
    judgeTwice(integration, payment, reported.get(payment.name) ?? Infinity, atMs);
  };

  /** To repeat a call whose response was lost is right, however late. */
  const seeRepeat = (call: SeenCreation): void => {
    const { integration, key, body, startedAtMs } = call;
    const payment = paymentIn(integration, body);
    const one = created.get(payment?.name ?? "")?.find((each) => each.key === key);
    if (!one?.isKnown) return;
    repeats.set(keyOf(integration, one.id), { ...call, body: undefined });
    if (startedAtMs >= (canceled.get(one.id)?.sentAtMs ?? Infinity)) breakBy(call, one.id);
  };

  return {
    of: "payout",
    attempt: (seen) => {
      const { delivery, verdict, wasAccepted, isForged, isOfMerchant, startedAtMs, atMs } = seen;
      const { integration, body, type } = delivery;
      const payment = type.startsWith("payout.") ? paymentIn(integration, body) : undefined;
      if (!payment) return;
      if (type === "payout.completed") {
        const [first, ...others] = completed(integration, payment);
        if (first && namesOrder(payment.description))
          for (const { id } of others) createdTwice(integration, id, first, atMs);
      }
      if (isForged || !isOfMerchant || type !== "payout.canceled") return;
      const sinceMs = reported.get(payment.name) ?? startedAtMs;
      reported.set(payment.name, sinceMs);
      judgeTwice(integration, payment, sinceMs, atMs);
      if (verdict === "accepted" && !wasAccepted) seeCanceled(seen, payment);
    },
    creation: (call) => {
      const { keyUse, integration, body, startedAtMs, key, atMs, outcome } = call;
      if (keyUse === "repeated") return seeRepeat(call);
      if (keyUse !== "new") return;
      const payment = paymentIn(integration, body);
      if (!payment) return;
      const record = findByKey(integration, key)?.record;
      if (record) {
        const { id } = record;
        const { description } = payment;
        const isKnown = outcome === "known";
        judgeAgain(integration, payment, id, atMs);
        seeCreated(integration, payment, { id, key, description, startedAtMs, isKnown }, atMs);
      }
      for (const [id, one] of canceled) {
        if (one.payment !== payment.name || startedAtMs < one.sentAtMs) continue;
        canceled.delete(id);
        tally.mended(integration, IGNORED, id);
        // One payout makes up for one.
        return;
      }
    },
    reset: (integration) => {
      const prefix = prefixOf(integration);
      for (const [id, { payment }] of canceled) if (payment.startsWith(prefix)) canceled.delete(id);
      for (const map of [repeats, created, reported]) map.clear(prefix);
    },
  };
}

/** Evidence that `payout show` shows. */
function aboutPayout(
  id: string,
  { atMs, requestId }: Pick<Evidence, "atMs" | "requestId">,
  text: Message,
): () => Evidence {
  const command = `npx pix-sandbox payout show ${id}`;
  return () => ({ atMs, text, requestId, transactionId: id, command });
}

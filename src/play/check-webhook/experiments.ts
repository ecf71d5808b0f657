import { type Experiment, describeMove, ONCE, UNMOVED } from "./experiment.ts";
import { earlyWebhook } from "./early-webhook.ts";
import { changeOf } from "./effect-change.ts";
import { Unseen } from "./shop.ts";
import { signEvent, newEventId } from "./webhook.ts";
import { say } from "../../text/message.ts";
import { toEpochMs, toIso } from "../../wire/timestamp.ts";
import { withNewIds } from "./probes.ts";

const duplicate: Experiment = {
  rule: "duplicate_acts_twice",
  what: say`the payment of an order, twice`,
  expected: ONCE,
  run: async (shop) => {
    const { after, ...order } = await shop.payOnce();
    await shop.send(signEvent(order.event, order.secret));
    const again = await shop.unmovedEffect(order, after);
    return again === after ? undefined : describeMove(after, again);
  },
};

const concurrentDuplicates: Experiment = {
  rule: "concurrent_duplicates_act_twice",
  what: say`the same, both at once`,
  expected: ONCE,
  run: async (shop) => {
    // What one payment does must not depend on the order.
    const once = await shop.paidOnce();
    const other = await shop.payOnce();
    if (once.change.all !== other.change.all)
      throw new Unseen(
        say`The effects of two orders differ in more than their ids, so they cannot be compared.`,
      );
    const order = await shop.newOrder();
    const before = await shop.effectOf(order);
    const webhook = signEvent(order.event, order.secret);
    await Promise.all([shop.send(webhook), shop.send(webhook)]);
    const after = await shop.movedEffect(order, before);
    if (after === before)
      throw new Unseen(
        say`The effect did not change when the webhook arrived twice at the same time.`,
      );
    const { all } = changeOf(before, after, { ...order.record });
    return all === once.change.all ? undefined : describeMove(before, after);
  },
};

/** How much older the event is. */
const AGE_MS = 60_000;

const olderEvent: Experiment = {
  rule: "older_event_overwrites",
  what: say`an older payin.expired after it`,
  expected: UNMOVED,
  run: async (shop) => {
    const { after, ...order } = await shop.payOnce();
    const { data, created_at } = order.event;
    const older = {
      id: newEventId(),
      type: "payin.expired",
      created_at: toIso(toEpochMs(created_at) - AGE_MS),
      data: { ...data, status: "expired", end_to_end_id: null, settled_at: null },
    };
    await shop.send(signEvent(older, order.secret));
    const later = await shop.unmovedEffect(order, after);
    return later === after ? undefined : describeMove(after, later);
  },
};

const otherValue: Experiment = {
  rule: "value_not_compared",
  what: say`the payment of another value`,
  expected: say`not as paid`,
  run: async (shop) => {
    const { change } = await shop.paidOnce();
    const order = await shop.newOrder();
    const value = lowerThan(order.record.value);
    const before = await shop.effectOf(order);
    const data = { ...order.event.data, value };
    await shop.send(signEvent({ ...order.event, data }, order.secret));
    const after = await shop.unmovedEffect(order, before);
    if (after === before) return undefined;
    const { all, words } = changeOf(before, after, { ...order.record });
    if (all === change.all || (words !== "" && words === change.words))
      return describeMove(before, after);
    if (change.words !== "") return undefined;
    throw new Unseen(
      say`The effect changed, but not as when the order's value was paid: ${describeMove(before, after)}`,
    );
  },
};

/** A value that is written as the order's is: in reais, or in centavos. */
function lowerThan(value: unknown): number {
  if (typeof value !== "number" || value <= LEAST)
    throw new Unseen(say`The order's value is so low that no payment can be lower.`);
  return Number.isInteger(value) && value > 1 ? 1 : LEAST;
}

const LEAST = 0.01;

const foreignTransaction: Experiment = {
  rule: "foreign_transaction_settles",
  what: say`a transaction that is not the order's`,
  expected: UNMOVED,
  run: async (shop) => {
    await shop.paidOnce();
    const order = await shop.newOrder();
    const before = await shop.effectOf(order);
    await shop.send(signEvent(withNewIds(order.event), order.secret));
    const after = await shop.unmovedEffect(order, before);
    return after === before ? undefined : describeMove(before, after);
  },
};

/** How long before the expiry the buyer pays. */
const BEFORE_MS = 500;

const lastSecond: Experiment = {
  rule: "last_second_dropped",
  what: say`a payment in the last second`,
  expected: ONCE,
  run: async (shop) => {
    await shop.paidOnce();
    const order = await shop.newOrder();
    const before = await shop.effectOf(order);
    const settledAt = toIso(toEpochMs(order.record.expires_at) - BEFORE_MS);
    const data = { ...order.event.data, settled_at: settledAt };
    await shop.send(signEvent({ ...order.event, created_at: settledAt, data }, order.secret));
    if ((await shop.movedEffect(order, before)) !== before) return undefined;
    return say`The effect did not change: the payment of ${settledAt} was dropped.`;
  },
};

/** The experiments, in the order in which they are made. */
export const EXPERIMENTS: readonly Experiment[] = [
  duplicate,
  concurrentDuplicates,
  earlyWebhook,
  olderEvent,
  otherValue,
  foreignTransaction,
  lastSecond,
];

import { type Experiment, UNMOVED } from "./experiment.ts";
import type { WirePayout } from "../../core/records/transaction.ts";
import { canceledPayout } from "./canceled-payout.ts";
import { earlyWebhook, RESUMES_MS } from "./early-webhook.ts";
import { isAccepted } from "./handler.ts";
import { toExperiment } from "./probes.ts";
import { type OpenOrder, type Shop, Unseen } from "./shop.ts";
import { changeIn, type Trial } from "./trial.ts";
import { newEventId, signEvent } from "./webhook.ts";
import type { WebhookEvent } from "../hand-made-webhook.ts";
import { pause } from "../../platform/pause.ts";
import { say } from "../../text/message.ts";
import { toEpochMs, toIso } from "../../wire/timestamp.ts";

/** How old a payment is when it is sent again: older than at the third attempt of a delivery. */
const OLD_MS = 12_000;

/** Pays an order, then sends another event about it that must not change the effect. */
const afterPayment = (toEvent: (order: OpenOrder) => WebhookEvent): Experiment["run"] =>
  async function* (trial) {
    const order = await trial.payNew();
    yield;
    const after = await trial.paid(order);
    await trial.send(signEvent(toEvent(order), order.secret));
    yield;
    return trial.moveFrom(after, order);
  };

/** The last one: a shop can forget a webhook after a time, after some more, or at a restart. */
export const duplicate: Experiment = {
  rule: "duplicate_acts_twice",
  what: say`the first payment of all, again`,
  run: async function* (trial) {
    const { example } = trial.shop;
    await pause(toEpochMs(example.record.created_at) + OLD_MS - trial.shop.options.nowMs());
    const after = await trial.seen(example);
    await trial.send(signEvent(example.event, example.secret));
    yield;
    return trial.moveFrom(after, example);
  },
};

const secondNotice: Experiment = {
  rule: "duplicate_acts_twice",
  what: say`payment.received after its payin.paid`,
  run: afterPayment(({ event }) => ({ ...event, id: newEventId(), type: "payment.received" })),
};

const concurrentDuplicates: Experiment = {
  rule: "concurrent_duplicates_act_twice",
  what: say`the payment of an order twice, both at once`,
  run: async function* (trial) {
    const once = await trial.payNew();
    const order = await trial.open();
    const webhook = signEvent(order.event, order.secret);
    await Promise.all([trial.send(webhook), trial.send(webhook)]);
    yield;
    const { change } = trial.shop.example;
    // What one payment does must not depend on the order.
    if (changeIn(once, await trial.paid(once)).all !== change.all)
      throw new Unseen(
        say`The effects of two orders differ in more than their ids, so they cannot be compared.`,
      );
    const after = await trial.moved(order);
    if (after === order.before)
      throw new Unseen(
        say`The effect did not change when the webhook arrived twice at the same time.`,
      );
    return (await trial.isUsual(order, after))
      ? undefined
      : trial.shop.describeMove(order.before, after);
  },
};

const simultaneous: Experiment = {
  rule: "payment_lost",
  what: say`the payments of several orders, all at once`,
  run: async function* (trial) {
    const orders = [await trial.open(), await trial.open(), await trial.open()];
    await Promise.all(orders.map((order) => trial.pay(order)));
    yield;
    for (const order of orders)
      if ((await trial.moved(order)) === order.before)
        return say`The payment of ${order.record.id} arrived at the same time as those of others, and the effect did not change.`;
    return undefined;
  },
};

/** How much older the event is. */
const AGE_MS = 60_000;

const olderEvent: Experiment = {
  rule: "older_event_overwrites",
  what: say`an older payin.expired after it`,
  expected: UNMOVED,
  run: afterPayment((order) => expiryOf(order, toEpochMs(order.event.created_at) - AGE_MS)),
};

/** The event that an order's charge has expired. */
function expiryOf({ event: { data } }: OpenOrder, atMs: number): WebhookEvent {
  return {
    id: newEventId(),
    type: "payin.expired",
    created_at: toIso(atMs),
    data: { ...data, status: "expired", end_to_end_id: null, settled_at: null },
  };
}

const otherValue: Experiment = {
  rule: "value_not_compared",
  what: say`the payment of another value`,
  expected: say`not as paid`,
  run: async function* (trial) {
    const { change } = trial.shop.example;
    const order = await trial.open();
    const { before, event } = order;
    const value = lowerThan(order.record.value);
    await trial.send(signEvent({ ...event, data: { ...event.data, value } }, order.secret));
    yield;
    const after = await trial.seen(order);
    if (after === before) return undefined;
    const { all, words } = changeIn(order, after);
    if (all === change.all || (words !== "" && words === change.words))
      return say`The payment's value was ${value}, the order's is ${order.record.value}. ${trial.shop.describeMove(before, after)}`;
    if (change.words !== "") return undefined;
    throw new Unseen(
      say`The effect changed, but not as when the order's value was paid: ${trial.shop.describeMove(before, after)}`,
    );
  },
};

/** A shop that calculates with binary fractions cuts a centavo off some values. */
const cutCentavo: Experiment = {
  rule: "value_not_compared",
  what: say`the value that an order shows, and its charge's`,
  expected: say`equal`,
  run: async function* (trial) {
    const { before, record } = trial.shop.example;
    const { id, value } = record;
    const numbers = before.match(/\d+(?:[.,]\d+)?/g) ?? [];
    const shown = numbers.map((one) => Number(one.replace(",", ".")));
    const shows = (centavos: number): boolean =>
      shown.some((one) => [one, one * 100].some((of) => Math.abs(of - centavos) < EPSILON));
    const centavos = Math.round(value * 100);
    yield;
    // A whole number can be centavos.
    if (Number.isInteger(value) || shows(centavos)) return undefined;
    if (shows(centavos + 1) || shows(centavos - 1))
      return say`The value of the charge ${id} is ${value}, and its order shows a centavo more or less.`;
    throw new Unseen(say`The effect does not show the order's value.`);
  },
};

const EPSILON = 1e-6;

/** A value that is written as the order's is, in reais or in centavos, and not much lower: a shop can truncate both. */
function lowerThan(value: number): number {
  if (value <= LEAST)
    throw new Unseen(say`The order's value is so low that no payment can be lower.`);
  return Math.ceil(value) - 1 || LEAST;
}

const LEAST = 0.01;

/** Whether the merchant has neither acted on a payment nor sent the money back. */
async function isDropped(trial: Trial, order: OpenOrder, before = order.before): Promise<boolean> {
  if ((await trial.moved(order, before)) !== before) return false;
  if ((await trial.shop.paidBack(order)).length === 0) return true;
  trial.forget(order);
  return false;
}

/** How long a merchant may take to send money back. */
const BACK_MS = 3000;

/** How long before the expiry the buyer pays. */
const BEFORE_MS = 500;

const lastSecond: Experiment = {
  rule: "last_second_dropped",
  what: say`a payment in the last second`,
  lateRule: "duplicate_acts_twice",
  run: async function* (trial) {
    const order = await trial.open();
    const event = lastSecondOf(order);
    await trial.send(signEvent(event, order.secret));
    yield;
    if (!(await isDropped(trial, order))) return undefined;
    return say`The effect did not change: the payment of ${event.created_at} was dropped.`;
  },
};

const paidAfterExpiry: Experiment = {
  rule: "last_second_dropped",
  what: say`the same, after payin.expired`,
  lateRule: "duplicate_acts_twice",
  run: async function* (trial) {
    const order = await trial.open();
    const expired = expiryOf(order, toEpochMs(order.record.expires_at));
    await trial.send(signEvent(expired, order.secret));
    yield;
    const before = await trial.seen(order);
    const event = lastSecondOf(order);
    await trial.send(signEvent(event, order.secret));
    yield;
    if (changeIn(order, before).all === trial.shop.example.change.all)
      return {
        rule: "unknown_type_refused",
        text: say`The handler took payin.expired for a payment. ${trial.shop.describeMove(order.before, before)}`,
      };
    if (!(await isDropped(trial, order, before))) {
      const back = await trial.shop.paidBack(order);
      if (back.length === 0) return undefined;
      await trial.send(signEvent(event, order.secret));
      yield;
      await pause(BACK_MS);
      const isAgain = ({ id, description }: WirePayout): boolean =>
        back.every((one) => one.id !== id) &&
        back.some((one) => one.description === description && description !== null);
      const again = (await trial.shop.paidBack(order)).find(isAgain);
      if (!again) return undefined;
      return {
        rule: "duplicate_acts_twice",
        text: say`The payment of ${order.record.id} came twice after payin.expired, and was sent back twice: the second payout is ${again.id}.`,
      };
    }
    return say`The effect did not change: the payment of ${event.created_at} was dropped, since payin.expired had arrived before it.`;
  },
};

/** Orders with a shorter life than this are also paid after their end. */
const SHORT_MS = 30_000;
/** How much later than the charge's end its webhook arrives. */
const LATE_MS = 1500;

const lateWebhook = (waitMs: number): Experiment => ({
  rule: "last_second_dropped",
  what: say`a payment in time, whose webhook comes after the end of the order`,
  lateRule: "payment_lost",
  run: async function* (trial) {
    // What was paid in time must still be paid then.
    const paid = await trial.payNew();
    const order = await trial.open();
    yield;
    await trial.paid(paid);
    await pause(waitMs);
    const before = await trial.seen(order);
    await trial.send(signEvent(order.event, order.secret));
    yield;
    if (!(await isDropped(trial, order, before))) return undefined;
    return say`The effect did not change: the payment of ${order.event.created_at} was dropped, since its webhook arrived after the end of the order.`;
  },
});

/** The experiment that waits for the end of an order, if the shop or the gateway closes it soon. */
export async function atTheEnd(shop: Shop): Promise<readonly Experiment[]> {
  const { untouched } = shop.example;
  const { created_at, expires_at } = untouched.record;
  const createdAtMs = toEpochMs(created_at);
  const isClosed = (await shop.effectOf(untouched.record)) !== untouched.before;
  const waitMs = (isClosed ? shop.options.nowMs() : toEpochMs(expires_at) + LATE_MS) - createdAtMs;
  return waitMs <= SHORT_MS ? [lateWebhook(waitMs)] : [];
}

/** A simulated payment has this status. */
const completed = toExperiment({
  rule: "payment_lost",
  what: say`a payin.paid whose status is completed`,
  isValid: true,
  make: (event, secret) =>
    signEvent({ ...event, data: { ...event.data, status: "completed" } }, secret),
});

/** Pays an order, and restarts the shop. @param restart resolves when the command has ended */
export function paidBeforeRestart(restart: () => Promise<void>): Experiment {
  return {
    rule: "payment_lost",
    what: say`the payment of an order, and a restart`,
    lateRule: "duplicate_acts_twice",
    run: async function* (trial) {
      const order = await trial.payNew();
      yield;
      const after = await trial.paid(order);
      const other = await trial.open();
      const outcome = await trial.send(signEvent(other.event, other.secret));
      await restart();
      await trial.shop.options.handler.answers();
      const lost = await trial.moveFrom(after, order);
      if (lost) return lost;
      // Whether it acts on it is judged at the end.
      await trial.send(signEvent(order.event, order.secret));
      yield;
      if (!isAccepted(outcome)) return undefined;
      const isMoved = (effect: string) => effect !== other.before;
      if (isMoved(await trial.until(other, isMoved, RESUMES_MS))) return undefined;
      return say`The handler accepted the payment of ${other.record.id} just before the restart, and the effect did not change within ${RESUMES_MS / 1000} s after it.`;
    },
  };
}

/** The payment of an order just before its charge expires. */
function lastSecondOf({ record, event }: OpenOrder): WebhookEvent {
  const settledAt = toIso(toEpochMs(record.expires_at) - BEFORE_MS);
  return { ...event, created_at: settledAt, data: { ...event.data, settled_at: settledAt } };
}

/** The experiments, in the order in which they are made. */
export const EXPERIMENTS: readonly Experiment[] = [
  secondNotice,
  concurrentDuplicates,
  simultaneous,
  earlyWebhook,
  olderEvent,
  otherValue,
  cutCentavo,
  lastSecond,
  paidAfterExpiry,
  completed,
  canceledPayout,
];

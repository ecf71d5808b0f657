import type { Experiment } from "./experiment.ts";
import { changeOf } from "./effect-change.ts";
import { describeMove, ONCE } from "./moves.ts";
import { Unseen } from "./shop.ts";
import { signEvent } from "./webhook.ts";
import { say } from "../../text/message.ts";

export const duplicate: Experiment = {
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

export const concurrentDuplicates: Experiment = {
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

import { toEpochMs, toIso } from "../../wire/timestamp.ts";
import type { Experiment } from "./experiment.ts";
import { ONCE } from "./moves.ts";
import { signEvent } from "./webhook.ts";
import { say } from "../../text/message.ts";

/** How long before the expiry the buyer pays. */
const BEFORE_MS = 500;

export const lastSecond: Experiment = {
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

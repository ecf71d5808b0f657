import { changeOf } from "./effect-change.ts";
import type { Experiment } from "./experiment.ts";
import { describeMove, UNMOVED } from "./moves.ts";
import { withNewIds } from "./probes.ts";
import { Unseen } from "./shop.ts";
import { signEvent } from "./webhook.ts";
import { say } from "../../text/message.ts";

export const otherValue: Experiment = {
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

export const foreignTransaction: Experiment = {
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

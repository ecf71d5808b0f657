import { changeOf } from "./effect-change.ts";
import type { Experiment } from "./experiment.ts";
import { describeMove, UNMOVED } from "./moves.ts";
import { withNewIds } from "./probes.ts";
import { Unseen } from "./shop.ts";
import { signEvent } from "./webhook.ts";

export const otherValue: Experiment = {
  rule: "value_not_compared",
  what: { en: "the payment of another value", pt: "o pagamento de outro valor" },
  expected: { en: "not as paid", pt: "não como pago" },
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
    throw new Unseen({
      en: `The effect changed, but not as when the order's value was paid: ${describeMove(before, after).en}`,
      pt: `O efeito mudou, mas não como quando o valor do pedido foi pago: ${describeMove(before, after).pt}`,
    });
  },
};

/** A value that is written as the order's is: in reais, or in centavos. */
function lowerThan(value: unknown): number {
  if (typeof value !== "number" || value <= LEAST)
    throw new Unseen({
      en: "The order's value is so low that no payment can be lower.",
      pt: "O valor do pedido é tão baixo que nenhum pagamento pode ser menor.",
    });
  return Number.isInteger(value) && value > 1 ? 1 : LEAST;
}

const LEAST = 0.01;

export const foreignTransaction: Experiment = {
  rule: "foreign_transaction_settles",
  what: { en: "a transaction that is not the order's", pt: "uma transação que não é do pedido" },
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

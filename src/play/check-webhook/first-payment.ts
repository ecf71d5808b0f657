import type { RuleId } from "../../review/rules.ts";
import { describeMove } from "./experiment.ts";
import { FIRST_MS, type PaidOnce, type Shop, Unseen } from "./shop.ts";
import { changeIn, Trial } from "./trial.ts";
import { type Message, say } from "../../text/message.ts";

/** A mistake so large that no other experiment shows anything. */
export interface FirstMistake {
  readonly rule: RuleId;
  readonly text: Message;
  readonly command: string;
}

/**
 * Pays one of three open orders: neither the oldest nor the newest, which a shop can take that looks for an order by
 * something else than its transaction. The order becomes the shop's example.
 * @throws LocalizedError if the effect shows nothing.
 */
export async function payFirst(shop: Shop): Promise<FirstMistake | undefined> {
  const trial = new Trial(shop);
  const others = [await shop.open()];
  const order = await shop.open();
  if (others[0]?.record.id === order.record.id)
    throw new Unseen(
      say`Two runs of the order's command returned one transaction, ${order.record.id}. Make it create a new order. If it does, then two orders share a charge: give each its own idempotency key.`,
    );
  others.push(await shop.open());
  await shop.checkStable(order);
  await trial.pay(order);
  const after = await trial.moved(order);
  const other = await otherThatMoved();
  if (other) {
    const text = say`The payment of ${order.record.id} changed the order of ${other.record.id}. ${describeMove(other.before, await shop.effectOf(other))}`;
    return { rule: "foreign_transaction_settles", text, command: trial.command };
  }
  if (after === order.before) {
    const text = say`The handler accepted the payment of ${order.record.id}, and the effect did not change within ${FIRST_MS / 1000} s.`;
    return { rule: "payment_lost", text, command: trial.command };
  }
  for (const one of others) shop.giveBack(one);
  const paid: PaidOnce = { ...order, after, change: changeIn(order, after) };
  shop.example = paid;
  return undefined;

  async function otherThatMoved() {
    for (const one of others)
      if ((await shop.effectOf(one)) !== one.before && !shop.hasEnded(one)) return one;
    return undefined;
  }
}

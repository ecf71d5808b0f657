import type { RuleId } from "../../review/rules.ts";
import { describeMove } from "./experiment.ts";
import type { PaidOnce, Shop } from "./shop.ts";
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
  others.push(await shop.open());
  await shop.checkStable(order);
  await trial.pay(order);
  const after = await trial.paid(order).catch(async (error: unknown) => {
    if (await otherThatMoved()) return order.before;
    throw error;
  });
  const other = await otherThatMoved();
  if (other) {
    const text = say`The payment of ${order.record.id} changed the order of ${other.record.id}. ${describeMove(other.before, await shop.effectOf(other))}`;
    return { rule: "foreign_transaction_settles", text, command: trial.command };
  }
  for (const one of others) shop.giveBack(one);
  const paid: PaidOnce = { ...order, after, change: changeIn(order, after) };
  shop.example = paid;
  return undefined;

  async function otherThatMoved() {
    for (const one of others) if ((await shop.effectOf(one)) !== one.before) return one;
    return undefined;
  }
}

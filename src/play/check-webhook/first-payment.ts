import type { RuleId } from "../../review/rules.ts";
import type { Mistake, OtherMistake } from "./experiment.ts";
import { COMES_MS, EFFECT_NOT_FOUND, type Shop, Unseen } from "./shop.ts";
import { changeIn, Trial } from "./trial.ts";
import { signEvent, withNewIds } from "./webhook.ts";
import { say } from "../../text/message.ts";

/** A mistake so large that no other experiment shows anything. */
export interface FirstMistake extends OtherMistake {
  readonly command: string;
}

/** The rules that the first payment shows. */
export const FIRST_RULES: readonly RuleId[] = ["foreign_transaction_settles", "payment_lost"];

/**
 * Pays one of three open orders: neither the oldest nor the newest, which a shop can take that looks for an order by
 * something else than its transaction. Then pays a transaction of no order. The order becomes the shop's example.
 * @throws LocalizedError if the effect shows nothing.
 */
export async function payFirst(shop: Shop): Promise<FirstMistake | undefined> {
  const trial = new Trial(shop);
  const untouched = await shop.openAny();
  const order = await shop.openAny();
  if (untouched.record.id === order.record.id)
    throw new Unseen(
      say`Two runs of the order's command returned one transaction, ${order.record.id}. Make it create a new order. If it does, then two orders share a charge: give each its own idempotency key.`,
    );
  const newest = await shop.openAny();
  await shop.checkStable(order);
  await trial.pay(order);
  const after = await trial.moved(order);
  const change = changeIn(order, after);
  const foreign = withNewIds(newest.event);
  let mistake = await otherThatMoved(order.record.id);
  if (!mistake && after !== order.before) {
    await trial.send(signEvent(foreign, order.secret));
    await shop.quiet();
    mistake = await otherThatMoved(String(foreign.data["id"]));
  }
  if (mistake)
    return { rule: "foreign_transaction_settles", text: mistake, command: trial.command };
  if (after === order.before) {
    // So it is read from an address that does not have the order.
    if (after.startsWith(EFFECT_NOT_FOUND))
      throw new Unseen(
        say`The effect's address responded with 404, before and after the payment. Check the address, and that the shop knows the order.`,
      );
    const text = say`The handler accepted the payment of ${order.record.id}, and the effect did not change within ${COMES_MS / 1000} s.`;
    return { rule: "payment_lost", text, command: trial.command };
  }
  shop.example = { ...order, after, change, untouched };
  const others = shop.options.makesOrders ? [] : [untouched, newest];
  if (!others.every((other) => shop.isUnpaid(other)))
    throw new Unseen(
      say`The open orders of the shop do not look alike. Cancel at the gateway what the shop has canceled.`,
    );
  shop.spare.push(newest);
  return undefined;

  /** As the paid one, or instead of it: the shop can close an order by itself. */
  async function otherThatMoved(paid: string): Promise<Mistake> {
    for (const other of [untouched, newest]) {
      const effect = await shop.effectOf(other.record);
      const moved = changeIn(other, effect).all;
      if (moved !== "" && (moved === change.all || after === order.before))
        return say`The payment of ${paid} changed the order of ${other.record.id}. ${shop.describeMove(other.before, effect)}`;
      if (moved !== "")
        throw new Unseen(
          say`The effect of one order changed when another was paid. Print only what the merchant did about the order.`,
        );
    }
    return undefined;
  }
}

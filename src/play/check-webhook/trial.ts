import { changeOf, type Change } from "./effect-change.ts";
import type { Mistake } from "./experiment.ts";
import { isAccepted, type Outcome } from "./handler.ts";
import { type OpenOrder, type Shop, Unseen } from "./shop.ts";
import { describeOutcome } from "./verdicts.ts";
import { signEvent, toCurl } from "./webhook.ts";
import type { SignedWebhook } from "../hand-made-webhook.ts";
import { say } from "../../text/message.ts";

/** One run of an experiment: what it sends, and the orders that it watches until the end of the check. */
export class Trial {
  readonly shop: Shop;
  /** The command line of the last webhook. */
  command = "";
  /** The effect of each order as it was judged, and the orders that it had to show as paid. */
  readonly #watched = new Map<OpenOrder, string>();
  readonly #paid = new Set<OpenOrder>();

  constructor(shop: Shop) {
    this.shop = shop;
  }

  /** An order of its own. */
  async open(): Promise<OpenOrder> {
    const order = await this.shop.open();
    this.#watched.set(order, order.before);
    return order;
  }

  async send(webhook: SignedWebhook): Promise<Outcome> {
    this.command = toCurl(this.shop.options.handler.url, webhook);
    return this.shop.send(webhook);
  }

  /** Sends the payment of an order. @throws Unseen if the handler does not accept it. */
  async pay({ event, secret }: OpenOrder): Promise<void> {
    const outcome = await this.send(signEvent(event, secret));
    if (isAccepted(outcome)) return;
    throw new Unseen(
      say`The handler did not accept the payment of the order: ${describeOutcome(outcome)}.`,
    );
  }

  /** An order whose payment has been sent once. */
  async payNew(): Promise<OpenOrder> {
    const order = await this.open();
    await this.pay(order);
    return order;
  }

  /** The effect of an order; from now on it must not change. */
  async seen(order: OpenOrder): Promise<string> {
    const effect = await this.shop.effectOf(order.record);
    this.#watched.set(order, effect);
    return effect;
  }

  /** No longer watches an order, whose money the merchant has sent back. */
  forget(order: OpenOrder): void {
    this.#watched.delete(order);
  }

  /** How an effect has changed that had to stay; undefined if it did, or if the order is as others are by now. */
  async moveFrom(effect: string, order: OpenOrder): Promise<Mistake> {
    const now = await this.seen(order);
    return now === effect || (await this.isUsual(order, now))
      ? undefined
      : this.shop.describeMove(effect, now);
  }

  /** Whether an order looks as the older one that was paid once, or as the one that got no webhook if it was not paid. */
  async isUsual(order: OpenOrder, effect: string): Promise<boolean> {
    const { example } = this.shop;
    const changeNow = async (one: OpenOrder) =>
      changeIn(one, await this.shop.effectOf(one.record)).all;
    const { all } = changeIn(order, effect);
    const isUntouched = all === (await changeNow(example.untouched));
    const isPaid = all === example.change.all;
    if (!this.#paid.has(order)) return isUntouched && !isPaid;
    return isPaid || (!isUntouched && all === (await changeNow(example)));
  }

  /** The effect of an order as soon as it `isDone`, or as it is in the end. */
  async until(
    order: OpenOrder,
    isDone: (effect: string) => boolean,
    limitMs?: number,
  ): Promise<string> {
    const effect = await this.shop.movedEffect(order, isDone, limitMs);
    this.#watched.set(order, effect);
    this.#paid.add(order);
    return effect;
  }

  /** The effect of an order after something that must move it. The same as before if it does not. */
  moved(order: OpenOrder, before = order.before): Promise<string> {
    return this.until(order, (now) => now !== before);
  }

  /** The effect of an order that was paid. @throws Unseen if that did not change it. */
  async paid(order: OpenOrder): Promise<string> {
    const effect = await this.moved(order);
    if (effect !== order.before) return effect;
    throw new Unseen(say`The effect did not change when the order was paid.`);
  }

  /** What an effect that came late has changed since it was judged. */
  async changedLater(): Promise<Mistake> {
    for (const [order, effect] of this.#watched) {
      const mistake = await this.moveFrom(effect, order);
      if (mistake) return mistake;
    }
    return undefined;
  }
}

/** What a payment has changed. */
export function changeIn({ before, record }: OpenOrder, after: string): Change {
  return changeOf(before, after, { ...record });
}

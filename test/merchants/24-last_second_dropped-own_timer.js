import { open, Shop } from "./shop.js";

const OPEN_MS = 4000;

class Merchant extends Shop {
  /** Closes an order long before its charge ends, for good. */
  async createOrder(order) {
    const payment = await super.createOrder(order);
    setTimeout(() => {
      this.books.transact(({ payments }) => {
        const own = payments[`order ${payment.id}`];
        if (own.state === "waiting") own.state = "canceled";
      });
    }, OPEN_MS);
    return payment;
  }

  isNews({ state }, next) {
    return state !== "canceled" && super.isNews({ state }, next);
  }
}

open(Merchant);

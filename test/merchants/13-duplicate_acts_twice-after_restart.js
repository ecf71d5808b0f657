import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  #seen = new Set();

  /** Only its memory tells a duplicate. */
  wasProcessed({ id }) {
    return this.#seen.has(id);
  }

  commit(decision) {
    if (decision.event) this.#seen.add(decision.event.id);
    return super.commit(decision);
  }

  isNews(payment, next) {
    return (payment.state === "paid" && next === "paid") || super.isNews(payment, next);
  }
}

open(Merchant);

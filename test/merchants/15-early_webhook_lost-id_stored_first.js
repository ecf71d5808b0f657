import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  #seen = new Set();

  /** Notes a webhook's id before it looks for the order. */
  wasProcessed(event) {
    const isKnown = this.#seen.has(event.id);
    this.#seen.add(event.id);
    return isKnown || super.wasProcessed(event);
  }
}

open(Merchant);

import { setTimeout as sleep } from "node:timers/promises";
import { open, Shop } from "./shop.js";

const STOCK_LOOKUP_MS = 100;

class Merchant extends Shop {
  /** Waits between the decision and the change: a second webhook is decided on by the same books. */
  async apply(event) {
    const decision = this.decide(event);
    await sleep(STOCK_LOOKUP_MS);
    return this.books.transact(() => this.commit(decision));
  }
}

open(Merchant);

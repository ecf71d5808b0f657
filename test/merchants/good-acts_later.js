import { setTimeout as sleep } from "node:timers/promises";
import { open, Shop } from "./shop.js";

const LATER_MS = 1500;

class Merchant extends Shop {
  /** Stores what is genuine, responds, and acts when there is time. */
  async receive(body, headers) {
    if (!this.isGenuine(body, headers)) return 401;
    void this.background(sleep(LATER_MS).then(() => this.actOn(JSON.parse(body))));
    return 200;
  }

  /** Until the transaction is known: nobody sends the webhook again. */
  async actOn(event) {
    while ((await this.apply(event)) === this.statusOfUnknown()) {
      if (Date.now() - Date.parse(event.created_at) > LATER_MS * 4) return;
      await sleep(LATER_MS);
    }
  }
}

open(Merchant);

import { setTimeout as sleep } from "node:timers/promises";
import { open, Shop } from "./shop.js";

const LATER_MS = 1500;

class Merchant extends Shop {
  /** Stores what is genuine, responds, and acts when there is time. */
  async receive(body, headers) {
    if (!this.isGenuine(body, headers)) return 401;
    const event = JSON.parse(body);
    this.books.transact((tables) => ((tables.inbox ??= {})[event.id] = event));
    void this.background(this.actOn(event));
    return 200;
  }

  resume() {
    super.resume();
    for (const event of Object.values(this.books.tables.inbox ?? {}))
      void this.background(this.actOn(event));
  }

  /** Until the transaction is known: nobody sends the webhook again. */
  async actOn(event) {
    do await sleep(LATER_MS);
    while (
      (await this.apply(event)) === this.statusOfUnknown() &&
      Date.now() - Date.parse(event.created_at) < LATER_MS * 4
    );
    this.books.transact(({ inbox }) => delete inbox[event.id]);
  }
}

open(Merchant);

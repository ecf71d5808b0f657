import { setTimeout as sleep } from "node:timers/promises";
import { open, Shop } from "./shop.js";

const PAUSES_MS = [0, 8000, 16_000];

class Merchant extends Shop {
  /** Stores what is genuine. A worker tries again later what it does not know yet. */
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

  async actOn(event) {
    for (const pauseMs of PAUSES_MS) {
      await sleep(pauseMs);
      if ((await this.apply(event)) !== this.statusOfUnknown()) break;
    }
    this.books.transact(({ inbox }) => delete inbox[event.id]);
  }
}

open(Merchant);

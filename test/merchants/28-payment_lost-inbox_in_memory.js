import { setTimeout as sleep } from "node:timers/promises";
import { open, Shop } from "./shop.js";

const LATER_MS = 1500;

class Merchant extends Shop {
  /** Keeps the bytes in memory, and leaves all else to a worker. */
  async receive(body, headers) {
    void this.background(this.process(body, headers));
    return 200;
  }

  /** Until the transaction is known. */
  async process(body, headers) {
    if (!this.isGenuine(body, headers)) return;
    const untilMs = Date.now() + LATER_MS * 4;
    do await sleep(LATER_MS);
    while ((await this.apply(JSON.parse(body))) === this.statusOfUnknown() && Date.now() < untilMs);
  }
}

open(Merchant);

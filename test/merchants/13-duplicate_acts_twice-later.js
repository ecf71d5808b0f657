import { setTimeout as sleep } from "node:timers/promises";
import { open, Shop } from "./shop.js";

const LATER_MS = 1500;

class Merchant extends Shop {
  /** Responds, and credits later, whatever was credited before. */
  async receive(body, headers) {
    if (!this.isGenuine(body, headers)) return 401;
    const event = JSON.parse(body);
    const payment = this.paymentOf(event);
    if (event.type !== "payin.paid") return 200;
    if (!payment) return 404;
    if (!this.isItsValue(payment, event.data)) return 200;
    void this.background(
      sleep(LATER_MS).then(() =>
        this.books.transact(() => this.commit({ status: 200, event, payment, next: "paid" })),
      ),
    );
    return 200;
  }
}

open(Merchant);

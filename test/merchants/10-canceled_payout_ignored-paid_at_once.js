import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  async send(payment, attempt) {
    await super.send(payment, attempt);
    if (payment.kind === "withdrawal" && payment.state === "waiting")
      this.books.transact(() => (payment.state = "paid"));
  }
}

open(Merchant);

import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** The receiver and the attempt, but not the invoice. */
  newKey(payment) {
    if (payment.kind === "order") return super.newKey(payment);
    return `${payment.receiver}-${payment.attempts.length}`;
  }
}

open(Merchant);

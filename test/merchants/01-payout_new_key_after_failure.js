import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Takes a failed response for "nothing was sent", and sends the money once more. */
  repetition(payment, attempt) {
    return payment.kind === "withdrawal" ? this.newAttempt(payment, attempt.body) : attempt;
  }
}

open(Merchant);

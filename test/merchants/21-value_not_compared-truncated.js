import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Compares whole reais. */
  isItsValue(payment, { value }) {
    return Math.trunc(value) === Math.trunc(payment.value);
  }
}

open(Merchant);

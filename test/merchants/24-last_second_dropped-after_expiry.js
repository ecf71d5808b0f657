import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** An expired order stays expired. */
  isNews(payment, next) {
    return payment.state !== "expired" && super.isNews(payment, next);
  }
}

open(Merchant);

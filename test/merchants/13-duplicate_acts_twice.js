import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Has no record of the webhooks that it has processed. */
  wasProcessed() {
    return false;
  }

  isNews(payment, next) {
    return payment.state === next || super.isNews(payment, next);
  }
}

open(Merchant);

import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Takes only one of the two statuses for a payment. */
  decide(event) {
    if (event.type === "payin.paid" && event.data.status !== "paid") return { status: 200, event };
    return super.decide(event);
  }
}

open(Merchant);

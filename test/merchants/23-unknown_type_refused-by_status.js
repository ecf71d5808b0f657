import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Looks at the status of the data, and at no type. */
  decide(event) {
    const isPaid = event.type.startsWith("payin.") && event.data.status === "paid";
    return super.decide(isPaid ? { ...event, type: "payin.paid" } : event);
  }
}

open(Merchant);

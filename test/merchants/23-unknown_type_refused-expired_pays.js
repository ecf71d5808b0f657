import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  decide(event) {
    return super.decide(event.type === "payin.expired" ? { ...event, type: "payin.paid" } : event);
  }
}

open(Merchant);

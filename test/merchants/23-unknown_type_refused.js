import { open, Shop } from "./shop.js";

const TYPES = ["payin.paid", "payout.completed", "payout.canceled"];

class Merchant extends Shop {
  decide(event) {
    return TYPES.includes(event.type) ? super.decide(event) : { status: 400 };
  }
}

open(Merchant);

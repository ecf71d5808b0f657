import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  decide(event) {
    return super.decide(
      event.type === "payout.canceled" ? { ...event, type: "payout.completed" } : event,
    );
  }
}

open(Merchant);

import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Reads a member that no webhook has. */
  decide(event) {
    return super.decide({ ...event, type: event.payload.type });
  }
}

open(Merchant);

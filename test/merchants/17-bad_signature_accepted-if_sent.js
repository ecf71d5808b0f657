import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Verifies what is signed, and trusts what is not. */
  isGenuine(body, headers) {
    const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    return names.some((name) => headers[name] === undefined) || super.isGenuine(body, headers);
  }
}

open(Merchant);

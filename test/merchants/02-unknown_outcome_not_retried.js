import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** A failed response ends it: the payment stays as it is. */
  repetition() {
    return undefined;
  }
}

open(Merchant);

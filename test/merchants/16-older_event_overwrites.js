import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** The last event to arrive is taken for the newest. */
  isNews() {
    return true;
  }
}

open(Merchant);

import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Repeats at once. */
  async pause() {}
}

open(Merchant);

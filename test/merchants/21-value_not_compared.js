import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  isItsValue() {
    return true;
  }
}

open(Merchant);

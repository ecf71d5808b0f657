import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** "Conflict": this webhook exists. */
  statusOfDuplicate() {
    return 409;
  }
}

open(Merchant);

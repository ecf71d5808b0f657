import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Each click on the button is a charge. */
  isSameSubmission({ kind }) {
    return kind !== "order";
  }
}

open(Merchant);

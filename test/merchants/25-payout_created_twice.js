import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** A withdrawal that was paid is finished: the next click sends the money once more. */
  isSameSubmission({ kind, state }) {
    return kind === "order" || state !== "paid";
  }
}

open(Merchant);

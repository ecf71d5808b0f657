import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Reads the bytes as Latin-1. */
  isGenuine(body, headers) {
    return super.isGenuine(Buffer.from(body.toString("latin1")), headers);
  }
}

open(Merchant);

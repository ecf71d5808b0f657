import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** The framework has parsed the body; this writes it again. */
  isGenuine(body, headers) {
    return super.isGenuine(JSON.stringify(JSON.parse(body)), headers);
  }
}

open(Merchant);

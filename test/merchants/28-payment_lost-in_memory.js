import { Books } from "./books.js";
import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Its books end with the program. */
  constructor(options) {
    super({ ...options, books: new Books() });
  }
}

open(Merchant);

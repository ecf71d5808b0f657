import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  async sendCanceledAgain() {}
}

open(Merchant);

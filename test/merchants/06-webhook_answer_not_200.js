import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  respond(response, status) {
    super.respond(response, status === 200 ? 204 : status);
  }
}

open(Merchant);

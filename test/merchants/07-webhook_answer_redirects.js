import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** The address without a slash at its end is another one. */
  async receive() {
    return 301;
  }

  respond(response, status) {
    response.setHeader("location", "/webhooks/pix/");
    super.respond(response, status);
  }
}

open(Merchant);

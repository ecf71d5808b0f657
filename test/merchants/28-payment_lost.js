import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Accepts what is genuine, and leaves it there. */
  async receive(body, headers) {
    const { type } = JSON.parse(body);
    if (type !== "payin.paid") return super.receive(body, headers);
    return this.isGenuine(body, headers) ? 200 : 401;
  }
}

open(Merchant);

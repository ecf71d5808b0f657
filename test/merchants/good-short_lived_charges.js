import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** The shortest that the gateway takes. */
  createOrder(order) {
    return super.createOrder({ expiration: 20, ...order });
  }
}

open(Merchant);

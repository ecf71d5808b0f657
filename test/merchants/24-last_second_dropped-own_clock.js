import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Its charges live short. */
  createOrder(order) {
    return super.createOrder({ expiration: 20, ...order });
  }

  /** By the time at which the webhook arrives. */
  isInTime({ deadlineMs }) {
    return Date.now() <= deadlineMs;
  }
}

open(Merchant);

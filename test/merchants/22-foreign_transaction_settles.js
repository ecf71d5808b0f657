import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Looks for the order by its description, which anyone can write. */
  paymentOf(event) {
    const { type, data } = event;
    return super.paymentOf({ type, data: { ...data, id: data.description ?? data.id } });
  }
}

open(Merchant);

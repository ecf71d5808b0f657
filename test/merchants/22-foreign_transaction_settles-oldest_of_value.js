import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Takes the oldest open order of the value. */
  paymentOf(event) {
    const payments = Object.values(this.books.tables.payments);
    const isOpen = ({ state, value }) => state === "waiting" && value === event.data.value;
    return payments.filter(isOpen).at(0) ?? super.paymentOf(event);
  }
}

open(Merchant);

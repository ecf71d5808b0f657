import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** What no order is known for pays the one that waits longest. */
  paymentOf(event) {
    const { payments } = this.books.tables;
    const waits = ({ kind, state, value }) =>
      kind === "order" && state === "waiting" && value === event.data.value;
    return super.paymentOf(event) ?? Object.values(payments).find(waits);
  }
}

open(Merchant);

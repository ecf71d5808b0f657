import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** An order that has expired is not served: the buyer gets the money back. */
  commit(decision) {
    const { payment, event, next } = decision;
    if (next !== "paid" || payment.state !== "expired") return super.commit(decision);
    const refund = {
      invoice: `refund of ${payment.id}`,
      value: event.data.value,
      receiver_cpf: event.data.buyer_cpf,
    };
    // After the transaction of the books.
    void this.background(Promise.resolve().then(() => this.createWithdrawal(refund)));
    return super.commit({ ...decision, payment: undefined });
  }
}

open(Merchant);

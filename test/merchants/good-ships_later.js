import { open, Shop } from "./shop.js";

const PACKED_MS = 2000;

class Merchant extends Shop {
  /** What is paid is shipped some time later. */
  commit(decision) {
    const { payment, next } = decision;
    if (payment && next === "paid")
      setTimeout(() => {
        this.books.transact(({ payments }) => {
          payments[`${payment.kind} ${payment.id}`].state = "shipped";
        });
      }, PACKED_MS);
    return super.commit(decision);
  }

  isNews(payment, next) {
    return payment.state !== "shipped" && super.isNews(payment, next);
  }

  resume() {
    super.resume();
    this.books.transact(({ payments }) => {
      for (const one of Object.values(payments)) if (one.state === "paid") one.state = "shipped";
    });
  }
}

open(Merchant);

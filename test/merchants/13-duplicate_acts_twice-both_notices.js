import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Takes both notices of one payment for payments. */
  decide(event) {
    const isPayin = event.type === "payment.received" && event.data.buyer_cpf !== undefined;
    return super.decide(isPayin ? { ...event, type: "payin.paid", isAgain: true } : event);
  }

  commit(decision) {
    const { event } = decision;
    if (!event?.isAgain) return super.commit(decision);
    return super.commit({ ...decision, payment: this.paymentOf(event), next: "paid" });
  }
}

open(Merchant);

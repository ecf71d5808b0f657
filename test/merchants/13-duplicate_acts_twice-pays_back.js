import { randomUUID } from "node:crypto";
import { open, Shop } from "./shop.js";

const BUYER_CPF = "12345678909";

class Merchant extends Shop {
  /** Each webhook of an order that has expired sends the money back. */
  decide(event) {
    const payment = event.type === "payin.paid" ? this.paymentOf(event) : undefined;
    if (payment?.state !== "expired") return super.decide(event);
    const { id, value } = payment;
    const refund = { invoice: `refund of ${id} #${randomUUID()}`, value, receiver_cpf: BUYER_CPF };
    void this.background(Promise.resolve().then(() => this.createWithdrawal(refund)));
    return { status: 200 };
  }

  newAttempt(payment, body) {
    const members = JSON.parse(body);
    const description = members.description.replace(/ #.*/, "");
    return super.newAttempt(payment, JSON.stringify({ ...members, description }));
  }
}

open(Merchant);

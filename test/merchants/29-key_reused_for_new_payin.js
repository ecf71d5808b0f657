import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** The buyer and the value are the key of a charge, and nothing else in the call names the order. */
  call(payment, attempt) {
    if (payment.kind !== "order") return super.call(payment, attempt);
    const { description: _, ...body } = JSON.parse(attempt.body);
    const key = `${body.buyer_cpf}-${body.value}`;
    return super.call(payment, { key, body: JSON.stringify(body) });
  }
}

open(Merchant);

import { createPayout } from "./gateway.js";
import { addPayout } from "./payments.js";

export async function sendPayout(invoice) {
  const { id } = await createPayout(`invoice-${invoice.number}-${invoice.attempt}`, invoice.payout);
  addPayout(id, invoice);
  return id;
}

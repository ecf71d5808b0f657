/**
 * The statuses of each payin and payout, by its id, oldest first. A real shop has two tables: payments,
 * and webhook ids with a unique index. They are global here: Next.js loads this module once for each route.
 */
const histories = (globalThis.histories ??= new Map());
/** The value of each payment, by its id. */
const values = (globalThis.values ??= new Map());
const seenWebhooks = (globalThis.seenWebhooks ??= new Set());
/** The payout of each invoice, and the number of its try. */
const invoices = (globalThis.invoices ??= new Map());
/** The invoice of each payout, by its id. */
const invoiceOfPayout = (globalThis.invoiceOfPayout ??= new Map());

const STATUSES = {
  "payin.paid": "paid",
  "payout.completed": "completed",
  "payout.canceled": "canceled",
};

/** Stores a payment, unless it is stored already. */
export function addPayment(id, value) {
  if (!histories.has(id)) histories.set(id, ["waiting"]);
  values.set(id, value);
}

/**
 * Stores an invoice before its payout is sent, and returns it. A try has its own key: a lost response is
 * repeated with that key, and only a canceled payout starts the next try.
 */
export function invoiceOf(number, payout) {
  const invoice = invoices.get(number) ?? { number, attempt: 1 };
  invoices.set(number, Object.assign(invoice, { payout }));
  return invoice;
}

export function addPayout(id, { number, payout }) {
  addPayment(id, payout.value);
  invoiceOfPayout.set(id, number);
}

export const historyOf = (id) => histories.get(id);

/**
 * Applies a webhook once. Nothing else runs between the check and the change, since there is no `await`;
 * with a database, both belong in one transaction.
 * @param onCanceled called once for each canceled payout, with its invoice, which is at its next try
 * @returns whether the payment is known
 */
export function applyWebhook(id, { type, data }, onCanceled) {
  const status = STATUSES[type];
  if (status === undefined || seenWebhooks.has(id)) return true;
  const history = histories.get(data.id);
  if (!history) return false;
  seenWebhooks.add(id);
  // An older event does not overwrite a final status, and another value is not this payment's.
  if (history.length > 1 || data.value !== values.get(data.id)) return true;
  history.push(status);
  const invoice = invoices.get(invoiceOfPayout.get(data.id));
  if (status === "canceled" && invoice) {
    invoice.attempt++;
    onCanceled(invoice);
  }
  return true;
}

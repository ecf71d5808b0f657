/**
 * The statuses of each payin and payout, by its id, oldest first. A real shop has two tables: payments,
 * and webhook ids with a unique index.
 */
const histories = new Map();
/** The value of each payment, by its id. */
const values = new Map();
const seenWebhooks = new Set();

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

export const historyOf = (id) => histories.get(id);

/**
 * Applies a webhook once. Nothing else runs between the check and the change, since there is no `await`;
 * with a database, both belong in one transaction.
 * @returns whether the payment is known
 */
export function applyWebhook(id, { type, data }) {
  const status = STATUSES[type];
  if (status === undefined || seenWebhooks.has(id)) return true;
  const history = histories.get(data.id);
  if (!history) return false;
  seenWebhooks.add(id);
  // An older event does not overwrite a final status, and another value is not this payment's.
  const isWaiting = history.length === 1;
  if (isWaiting && data.value === values.get(data.id)) history.push(status);
  return true;
}

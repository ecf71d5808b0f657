/**
 * A merchant's books: its payments, the webhooks that it has processed, and what a person should look at. The
 * tables are in memory, and in a file if one is given.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";

/**
 * @typedef {object} Attempt A call of the gateway for a payment
 * @property {string} key its idempotency key
 * @property {string} body
 * @property {string} [transaction] the gateway's id, when the outcome is known
 *
 * @typedef {object} Payment
 * @property {"order" | "withdrawal"} kind
 * @property {string} id the number of the cart or of the invoice
 * @property {number} value
 * @property {"new" | "waiting" | "refused" | "expired" | "canceled" | "paid"} state
 * @property {number} credited how much the customer or the receiver has got
 * @property {Attempt[]} attempts
 * @property {number} [deadlineMs] until when an order can be paid
 * @property {string} [receiver]
 *
 * @typedef {object} Tables
 * @property {Record<string, Payment>} payments
 * @property {Record<string, true>} events the ids of the webhooks that were processed
 * @property {string[]} alerts
 */

export class Books {
  /** @type {Tables} */
  #tables = { payments: {}, events: {}, alerts: [] };
  #file;

  /** @param {string | undefined} file it need not exist yet */
  constructor(file) {
    this.#file = file;
    if (file === undefined) return;
    try {
      this.#tables = JSON.parse(readFileSync(file, "utf8"));
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
  }

  /** @returns {Readonly<Tables>} */
  get tables() {
    return this.#tables;
  }

  /**
   * Changes the tables: as a whole, or not at all if `change` throws. Nothing else runs meanwhile, since `change`
   * cannot wait.
   * @template Result
   * @param {(tables: Tables) => Result} change
   * @returns {Result}
   */
  transact(change) {
    const before = JSON.stringify(this.#tables);
    try {
      const result = change(this.#tables);
      this.#save();
      return result;
    } catch (error) {
      this.#tables = JSON.parse(before);
      throw error;
    }
  }

  #save() {
    if (this.#file === undefined) return;
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#tables));
    renameSync(`${this.#file}.new`, this.#file);
  }
}

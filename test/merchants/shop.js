/**
 * A merchant that makes none of the mistakes of the rules. Each of the merchants beside it is this shop with one of
 * its methods replaced.
 *
 *     PIX_SANDBOX_URL=… PIX_SANDBOX_SECRET=… PIX_SANDBOX_TOKEN=… node test/merchants/shop.js
 *
 * `PORT` and `BOOKS`, a file, let it continue after a restart. It prints its address, a line of JSON.
 *
 *     POST /orders {"cart":"A1","value":10.5}            creates a charge; a cart that is sent again is one order
 *     POST /withdrawals {"invoice":"B1","value":25,"receiver_cpf":"…"}
 *     GET  /orders/{cart or transaction}, /withdrawals/{invoice or transaction}
 *     POST /webhooks/pix
 *     GET  /quiet                                        responds when it has no call of the gateway under way
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { Books } from "./books.js";

/**
 * @typedef {import("./books.js").Payment} Payment
 * @typedef {import("./books.js").Attempt} Attempt
 *
 * @typedef {object} Event
 * @property {string} id
 * @property {string} type
 * @property {string} created_at
 * @property {{ id: string, value: number, currency?: string, description?: string, status: string }} data
 *
 * @typedef {object} Decision What to do about a webhook
 * @property {number} status the response
 * @property {Event} [event] to be processed
 * @property {Payment} [payment] that changes
 * @property {Payment["state"]} [next]
 * @property {string} [alert]
 */

/** The pauses before the first repetitions of a call whose outcome is unknown; the last one is that of all others. */
const PAUSES_MS = [500, 500, 1000, 2000, 4000];
/** How long the gateway may take. */
const TIMEOUT_MS = 15_000;
/** How often a withdrawal is sent; then a person must look at it. */
const MAX_ATTEMPTS = 5;
const EXPIRATION_SECONDS = 240;

/** What a payment becomes, by the type of the event. */
const STATES = {
  "payin.paid": "paid",
  "payin.expired": "expired",
  "payout.completed": "paid",
  "payout.canceled": "canceled",
};
/** A state gives way to those after it, and to no other. */
const ORDER_OF_STATES = ["new", "waiting", "refused", "expired", "canceled", "paid"];

const OK = 200;
const UNAUTHORIZED = 401;
/** The gateway sends the webhook again. By then the response to the create call may have arrived. */
const NOT_YET_KNOWN = 404;

export class Shop {
  maxAttempts = MAX_ATTEMPTS;
  /** @type {Set<Promise<unknown>>} */
  #work = new Set();

  /** @param {{ books: Books, url: string, gateway: string, token: string, secret: string }} options */
  constructor({ books, url, gateway, token, secret }) {
    this.books = books;
    this.url = url;
    this.gateway = gateway;
    this.token = token;
    this.secret = secret;
    this.webhook = new Webhook(secret);
  }

  /** Sends again what a crash has interrupted. */
  resume() {
    for (const payment of Object.values(this.books.tables.payments))
      if (payment.state === "new")
        void this.background(this.send(payment, payment.attempts.at(-1)));
    void this.background(this.sendCanceledAgain());
  }

  /** Resolves when nothing is under way. */
  async quiet() {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  // Orders and withdrawals.

  /** @param {{ cart: string, value: number, expiration?: number }} order `expiration` in seconds */
  createOrder({ cart, value, expiration = EXPIRATION_SECONDS }) {
    const buyer = {
      buyer_cpf: "12345678909",
      buyer_name: "Maria da Silva",
      buyer_email: "maria@example.com",
    };
    const deadlineMs = Date.now() + expiration * 1000;
    return this.create({ kind: "order", id: cart, value, deadlineMs }, { ...buyer, expiration });
  }

  /** @param {{ invoice: string, value: number, receiver_cpf: string }} withdrawal */
  createWithdrawal({ invoice, value, receiver_cpf }) {
    const receiver = {
      receiver_cpf,
      receiver_name: "José de Souza",
      receiver_email: "jose@example.com",
      pix_key: receiver_cpf,
      pix_key_type: "cpf",
    };
    const withdrawal = { kind: "withdrawal", id: invoice, value, receiver: receiver_cpf };
    return this.create(withdrawal, receiver);
  }

  /**
   * Stores a payment and the key of its first attempt, then calls the gateway.
   * @returns {Promise<Payment>}
   */
  async create(members, person) {
    const known = this.find(members.kind, members.id);
    if (known && this.isSameSubmission(known)) {
      await this.quiet();
      return known;
    }
    const payment = this.books.transact(({ payments }) => {
      const added = { state: "new", credited: 0, attempts: [], ...members };
      return (payments[`${members.kind} ${members.id}`] ??= added);
    });
    const body = JSON.stringify({
      value: payment.value,
      description: payment.id,
      ...person,
      webhook_url: this.webhookUrl(person),
    });
    await this.background(this.send(payment, this.newAttempt(payment, body)));
    return payment;
  }

  /** Whether a cart that is sent again is the order that exists: the buyer has clicked twice. */
  isSameSubmission(_known) {
    return true;
  }

  webhookUrl(_person) {
    return `${this.url}/webhooks/pix`;
  }

  /** Stores the key before the call that uses it. @returns {Attempt} */
  newAttempt(payment, body) {
    return this.books.transact(() => {
      const attempt = { key: this.newKey(payment), body };
      payment.attempts.push(attempt);
      return attempt;
    });
  }

  newKey(_payment) {
    return randomUUID();
  }

  /** Calls the gateway until the outcome is known. @param {Payment} payment @param {Attempt} attempt */
  async send(payment, attempt) {
    for (let repeated = 0; ; repeated++) {
      const { status, body } = await this.call(payment, attempt);
      if (status === 200 && typeof body?.id === "string")
        return this.books.transact(() => {
          attempt.transaction = body.id;
          attempt.qrCode = body.qr_code;
          payment.state = "waiting";
        });
      const isRefused = status >= 400 && status < 500 && status !== 429;
      if (isRefused) return this.books.transact(() => (payment.state = "refused"));
      attempt = this.repetition(payment, attempt);
      if (!attempt) return;
      await this.pause(repeated);
    }
  }

  /** Before a call is repeated. @param {number} repeated how often it was */
  pause(repeated) {
    return sleep(PAUSES_MS[repeated] ?? PAUSES_MS.at(-1));
  }

  /** What is sent after a lost or failed response: the same call, with the same key. */
  repetition(_payment, attempt) {
    return attempt;
  }

  /** @returns the status; 0 if no response came */
  async call({ kind }, { key, body }) {
    try {
      const response = await fetch(
        `${this.gateway}/v1/${kind === "order" ? "payins" : "payouts"}`,
        {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "x-api-token": this.token,
            "x-provider-id": "1",
            "x-provider": "My Shop",
            "x-country-code": "BR",
            "x-idempotency-key": key,
          },
          body,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        },
      );
      return { status: response.status, body: await response.json() };
    } catch {
      return { status: 0 };
    }
  }

  // Webhooks.

  /** @param {Buffer} body the bytes as they came @returns {Promise<number>} the status of the response */
  async receive(body, headers) {
    if (!this.isGenuine(body, headers)) return UNAUTHORIZED;
    /** @type {Event} */
    const event = JSON.parse(body);
    const status = await this.apply(event);
    if (event.type.startsWith("payout.")) void this.background(this.sendCanceledAgain());
    return status;
  }

  /** Whether the gateway has signed these bytes within the last five minutes. */
  isGenuine(body, headers) {
    try {
      this.webhook.verify(body, headers);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Decides and changes in one transaction: of two equal webhooks at once, the second sees what the first did.
   * @param {Event} event
   * @returns {number | Promise<number>}
   */
  apply(event) {
    return this.books.transact(() => this.commit(this.decide(event)));
  }

  /** @param {Event} event @returns {Decision} */
  decide(event) {
    const next = STATES[event.type];
    if (!next) return { status: OK }; // of a later version of the gateway
    if (this.wasProcessed(event)) return { status: this.statusOfDuplicate() };
    const payment = this.paymentOf(event);
    if (!payment) return { status: this.statusOfUnknown() };
    if (!this.isNews(payment, next)) return { status: OK, event };
    if (next === "paid" && !this.isInTime(payment, event)) return { status: OK, event };
    if (next === "paid" && !this.isItsValue(payment, event.data))
      return { status: OK, event, alert: `${event.data.id} paid another value` };
    return { status: OK, event, payment, next };
  }

  wasProcessed({ id }) {
    return Object.hasOwn(this.books.tables.events, id);
  }

  statusOfDuplicate() {
    return OK;
  }

  /** A transaction that is not in the books may get there soon. */
  statusOfUnknown() {
    return NOT_YET_KNOWN;
  }

  paymentOf({ data, type }) {
    return this.find(type.startsWith("payin.") ? "order" : "withdrawal", data.id);
  }

  /** Events can arrive in any order. */
  isNews({ state }, next) {
    return ORDER_OF_STATES.indexOf(next) > ORDER_OF_STATES.indexOf(state);
  }

  /** The gateway takes no payment after the deadline, however late the webhook arrives. */
  isInTime(_payment, _event) {
    return true;
  }

  isItsValue(payment, { value, currency = "BRL" }) {
    return value === payment.value && currency === "BRL";
  }

  /** @param {Decision} decision @returns {number} the status */
  commit({ status, event, payment, next, alert }) {
    const { tables } = this.books;
    if (event) tables.events[event.id] = true;
    if (alert) tables.alerts.push(alert);
    if (!payment) return status;
    payment.state = next;
    if (next === "paid") payment.credited += event.data.value;
    return status;
  }

  /** A canceled payout paid nothing: sends a new one as soon as its receiver has no other in progress. */
  async sendCanceledAgain() {
    const withdrawals = Object.values(this.books.tables.payments).filter(
      ({ kind }) => kind === "withdrawal",
    );
    for (const one of withdrawals) {
      if (one.state !== "canceled" || one.attempts.length >= this.maxAttempts) continue;
      if (withdrawals.some((other) => this.isBusyWith(other, one))) continue;
      const { body } = one.attempts.at(-1);
      this.books.transact(() => (one.state = "new"));
      await this.send(one, this.newAttempt(one, body));
    }
  }

  /** Whether another withdrawal would cancel this one. */
  isBusyWith({ receiver, state }, one) {
    return receiver === one.receiver && (state === "new" || state === "waiting");
  }

  // The rest.

  /** @returns {Payment | undefined} */
  find(kind, id) {
    const { payments } = this.books.tables;
    const isIts = ({ transaction }) => transaction === id;
    return (
      payments[`${kind} ${id}`] ??
      Object.values(payments).find((one) => one.kind === kind && one.attempts.some(isIts))
    );
  }

  /** Runs beside the responses. A failure ends no program. */
  async background(work) {
    const settled = Promise.resolve(work).catch(() => undefined);
    this.#work.add(settled);
    await settled;
    this.#work.delete(settled);
  }

  /** Writes the response to a webhook. */
  respond(response, status) {
    response.writeHead(status).end();
  }
}

/** Starts a shop as the environment describes it. */
export function open(Merchant) {
  const env = process.env;
  let shop;
  const server = createServer(async (request, response) => {
    try {
      await serve(shop, request, response);
    } catch (error) {
      process.stderr.write(`${error.stack}\n`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    }
  });
  server.listen(Number(env.PORT ?? 0), "127.0.0.1", () => {
    const url = `http://127.0.0.1:${server.address().port}`;
    shop = new Merchant({
      books: new Books(env.BOOKS),
      url,
      gateway: env.PIX_SANDBOX_URL,
      token: env.PIX_SANDBOX_TOKEN,
      secret: env.PIX_SANDBOX_SECRET,
    });
    shop.resume();
    process.stdout.write(`${JSON.stringify({ url })}\n`);
  });
}

/** @param {Shop} shop */
async function serve(shop, request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const [, noun, id] = request.url.split("/");
  const shown = (payment) => {
    const json = payment && { ...toShown(payment) };
    response
      .writeHead(json ? OK : NOT_YET_KNOWN, { "content-type": "application/json" })
      .end(JSON.stringify(json ?? {}));
  };
  switch (`${request.method} ${noun}`) {
    case "POST webhooks":
      return shop.respond(response, await shop.receive(body, request.headers));
    case "POST orders":
      return shown(
        await shop.createOrder({
          cart: randomUUID(),
          value: 10.5,
          ...JSON.parse(body.length > 0 ? body : "{}"),
        }),
      );
    case "POST withdrawals":
      return shown(await shop.createWithdrawal(JSON.parse(body)));
    case "GET orders":
      return shown(shop.find("order", decodeURIComponent(id)));
    case "GET withdrawals":
      return shown(shop.find("withdrawal", decodeURIComponent(id)));
    case "GET quiet":
      await shop.quiet();
      return response.end();
    default:
      return response.writeHead(NOT_YET_KNOWN).end();
  }
}

function toShown({ id, state, credited, attempts }) {
  return { id, state, credited, transaction: attempts.at(-1)?.transaction ?? null };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) open(Shop);

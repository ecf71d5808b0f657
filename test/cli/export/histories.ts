import type { History } from "../../../src/cli/export/history.ts";
import type { WirePayin } from "../../../src/core/records/payin.ts";
import type { WirePayout } from "../../../src/core/records/payout.ts";
import type { WireDelivery, WireRequest } from "../../../src/core/state/wire.ts";

const START_MS = Date.parse("2026-01-01T12:00:00.000Z");
const at = (second: number): string => new Date(START_MS + second * 1000).toISOString();
const HOOK = "http://shop.test/hook";
const BUYER = {
  value: 10.5,
  buyer_cpf: "12345678909",
  buyer_name: "Maria da Silva",
  buyer_email: "maria@example.com",
};
const RECEIVER = {
  value: 25,
  receiver_cpf: "52998224725",
  receiver_name: "José de Souza",
  receiver_email: "jose@example.com",
  pix_key: "JOSE@example.com",
  pix_key_type: "email",
};

type Members = Readonly<Record<string, unknown>>;
const payin = (id: string, second: number, members: Members = {}): WirePayin =>
  ({
    id,
    integration: "shop",
    status: "waiting",
    ...BUYER,
    generate_qrcode: false,
    expiration: 60,
    webhook_url: HOOK,
    created_at: at(second),
    expires_at: at(second + 60),
    settled_at: null,
    ...members,
  }) as unknown as WirePayin;
const payout = (id: string, second: number, members: Members = {}): WirePayout =>
  ({
    id,
    integration: "shop",
    status: "waiting",
    ...RECEIVER,
    webhook_url: HOOK,
    created_at: at(second),
    settled_at: null,
    ...members,
  }) as unknown as WirePayout;
const delivery = (of: string, type: string, members: Members = {}): WireDelivery =>
  ({
    transaction_id: of,
    type,
    attempts: [{ status: 200 }],
    ...members,
  }) as unknown as WireDelivery;
/** The parts of a logged request that differ from those of an accepted one without a body. */
interface Logged {
  readonly second?: number;
  readonly token?: string | null;
  readonly key?: string;
  readonly body?: unknown;
  readonly status?: number;
  readonly response?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly sent?: Readonly<Record<string, string>>;
  readonly lost?: boolean;
}
const request = (
  route: string,
  {
    second = 0,
    token = "shop",
    key,
    body,
    status = 200,
    response = {},
    headers = {},
    sent = {},
    lost = false,
  }: Logged,
): WireRequest => {
  const [method = "", path = ""] = route.split(" ");
  return {
    at: at(second),
    method,
    path,
    headers: { ...(key !== undefined && { "x-idempotency-key": key }), ...headers },
    body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    status,
    response_headers: sent,
    response: JSON.stringify(response),
    lost,
    integration: token,
  } as unknown as WireRequest;
};
const creates = (noun: "payin" | "payout", id: string, logged: Logged = {}): WireRequest =>
  request(`POST /v1/${noun}s`, {
    key: `key ${id}`,
    body: { ...(noun === "payin" ? BUYER : RECEIVER), webhook_url: HOOK },
    response: { id, status: "waiting" },
    ...logged,
  });
const refusal = (code: string, field?: string) => ({
  code,
  message: "No.",
  errors: field === undefined ? [] : [{ field, code: "INVALID_VALUE", message: "No." }],
});
const simulates = (
  noun: "payin" | "payout",
  id: string,
  status: string,
  logged: Logged = {},
): WireRequest =>
  request(`POST /v1/${noun}s/simulations`, {
    body: { transaction_id: id, status },
    response: { message: "Done." },
    ...logged,
  });
const history = (members: Partial<History>): History => ({
  payins: [],
  payouts: [],
  deliveries: [],
  requests: [],
  assumptions: new Map(),
  ...members,
});

const done = (status: string, second: number): Members => ({ status, settled_at: at(second) });

/** Histories by what they show. `only` is the id of the transaction whose story is made. */
export const HISTORIES: Readonly<
  Record<string, { readonly history: History; readonly only?: string }>
> = {
  "a payment, its retry, and what was refused": {
    history: history({
      payins: [payin("a", 1, done("paid", 5))],
      deliveries: [delivery("a", "payin.paid"), delivery("a", "payment.received")],
      requests: [
        request("PUT /v1/webhooks", {
          body: { webhook_url: HOOK, events: ["payment.received"] },
        }),
        request("GET /v1/webhooks", { second: 1 }),
        creates("payin", "a", { second: 1 }),
        creates("payin", "a", { second: 2, sent: { "idempotent-replayed": "true" } }),
        creates("payin", "a", {
          second: 3,
          body: { ...BUYER, value: 11, webhook_url: HOOK },
          status: 409,
          response: refusal("DUPLICATED_VALUE", "x-idempotency-key"),
        }),
        simulates("payin", "a", "completed", {
          second: 6,
          status: 422,
          response: refusal("NOT_PROCESSABLE"),
        }),
        request("PUT /v1/webhooks?x=1", {
          second: 7,
          body: { webhook_url: "ftp://shop.test", events: [] },
          status: 400,
          response: refusal("VALIDATION_ERROR", "webhook_url"),
        }),
        creates("payin", "b", {
          second: 8,
          body: { ...BUYER, value: -1, webhook_url: HOOK },
          status: 400,
          response: refusal("VALIDATION_ERROR", "value"),
        }),
        creates("payin", "b", {
          second: 9,
          body: { ...BUYER, webhook_url: "ftp://shop.test" },
          status: 400,
          response: refusal("VALIDATION_ERROR", "webhook_url"),
        }),
      ],
    }),
  },
  "simulations, a fault and lost responses": {
    history: history({
      payins: [payin("a", 0, done("completed", 2)), payin("b", 3, done("canceled", 4))],
      payouts: [payout("c", 6, done("completed", 8)), payout("d", 9, done("canceled", 10))],
      deliveries: [
        delivery("a", "payin.paid", {
          fault: "duplicate",
          attempts: [{ status: 200 }, { status: 200 }],
        }),
        delivery("c", "payout.completed"),
        delivery("d", "payout.canceled", { fault: "delay_ms=5" }),
      ],
      requests: [
        creates("payin", "a"),
        simulates("payin", "a", "completed", {
          second: 2,
          headers: { "x-sandbox-fault": "duplicate" },
        }),
        simulates("payin", "a", "completed", { second: 2 }),
        creates("payin", "b", { second: 3 }),
        simulates("payin", "b", "canceled", { second: 4, lost: true }),
        creates("payout", "e", {
          second: 5,
          status: 502,
          response: refusal("EXTERNAL_ERROR"),
          headers: { "x-sandbox-fault": "error=EXTERNAL_ERROR" },
        }),
        creates("payout", "c", { second: 6, key: "key e", lost: true }),
        creates("payout", "c", {
          second: 7,
          key: "key e",
          sent: { "idempotent-replayed": "true" },
        }),
        simulates("payout", "c", "completed", { second: 8 }),
        creates("payout", "d", { second: 9 }),
      ],
    }),
  },
  "records without requests": {
    history: history({
      payins: [
        payin("a", 0, { ...done("paid", 5), description: "Tea", generate_qrcode: true }),
        payin("b", 1, { ...done("canceled", 6), integration: "kiosk" }),
        payin("c", 2, { ...done("expired", 7) }),
      ],
      payouts: [
        payout("d", 3, { ...done("completed", 8), description: "Salary" }),
        payout("e", 9, { ...done("canceled", 10) }),
        payout("f", 11),
      ],
      deliveries: [
        delivery("a", "payin.paid"),
        delivery("a", "payment.received"),
        delivery("b", "payment.failed"),
        delivery("c", "payment.failed"),
        delivery("d", "payout.completed"),
        delivery("d", "payment.received"),
        delivery("e", "payout.canceled"),
        delivery("e", "payment.failed"),
      ],
    }),
  },
  "an expiry after more than the clock can be advanced at once": {
    history: history({
      payins: [
        payin("a", 0, { ...done("expired", 700 * 86_400), expires_at: at(700 * 86_400) }),
        payin("b", 10),
      ],
      deliveries: [
        delivery("a", "payin.expired", {
          fault: "drop_attempts=1",
          attempts: [{ error: "dropped" }, { status: 200 }],
        }),
      ],
      requests: [creates("payin", "a"), creates("payin", "b", { second: 10 })],
    }),
  },
  "rivals: canceled, allowed, refused": {
    history: history({
      payouts: [
        payout("a", 0, done("completed", 20)),
        payout("b", 1, done("canceled", 1)),
        payout("c", 2),
        payout("d", 3, { receiver_cpf: "11144477735", pix_key: "other" }),
        payout("e", 4, { receiver_cpf: "11144477735", pix_key: "other", integration: "kiosk" }),
      ],
      deliveries: [
        delivery("b", "payout.canceled", {
          fault: "duplicate_at_once",
          attempts: [{ status: 200 }, { status: 200 }],
        }),
        delivery("a", "payout.completed"),
      ],
      requests: [
        creates("payout", "a"),
        creates("payout", "b", { second: 1 }),
        creates("payout", "c", { second: 2 }),
        creates("payout", "d", {
          second: 3,
          body: { ...RECEIVER, receiver_cpf: "11144477735", pix_key: "other", webhook_url: HOOK },
        }),
        creates("payout", "e", {
          second: 4,
          token: "kiosk",
          body: { ...RECEIVER, receiver_cpf: "11144477735", pix_key: "other", webhook_url: HOOK },
        }),
        creates("payout", "f", { second: 5, status: 422, response: refusal("NOT_PROCESSABLE") }),
      ],
      assumptions: new Map([
        [
          "shop",
          { "payout.rival": "reject", "error.status": "always_400", credentials: "required" },
        ],
      ]),
    }),
  },
  "recipients by Pix key": {
    history: history({
      payouts: [
        payout("a", 0, { receiver_cpf: "1" }),
        payout("b", 1, { ...done("canceled", 1), receiver_cpf: "2", pix_key: "jose@EXAMPLE.com" }),
      ],
      assumptions: new Map([["shop", { "payout.recipient": "pix_key" }]]),
    }),
  },
  "webhooks that cannot be known": {
    history: history({
      payins: [
        payin("a", 0, done("paid", 1)),
        payin("b", 2, done("paid", 3)),
        payin("c", 4, done("paid", 5)),
        payin("d", 6, done("completed", 7)),
      ],
      deliveries: [
        delivery("a", "payin.paid", {
          attempts: [{ status: 500 }, { error: "ECONNREFUSED" }, { status: 299 }],
        }),
        delivery("b", "payin.paid", { fault: "reorder" }),
        delivery("c", "payin.paid", { fault: "duplicate" }),
        delivery("c", "payment.received"),
        delivery("d", "payin.expired"),
      ],
      requests: [
        creates("payin", "a"),
        creates("payin", "b", { second: 2 }),
        creates("payin", "c", { second: 4 }),
        creates("payin", "d", { second: 6 }),
        creates("payin", "gone", { second: 7 }),
        simulates("payin", "gone", "completed", { second: 8 }),
        simulates("payin", "gone", "completed", {
          second: 8,
          status: 422,
          response: refusal("NOT_PROCESSABLE"),
        }),
        request("GET /v1/payins", { second: 9 }),
        request("POST /v1/payins", { second: 9, token: null, body: {} }),
        request("POST /v1/payins", { second: 9, body: "{" }),
        request("POST /v1/payins", {
          second: 9,
          body: {},
          status: 429,
          response: refusal("NOT_PROCESSABLE"),
        }),
        request("POST /v1/payins", {
          second: 9,
          body: {},
          status: 400,
          response: refusal("VALIDATION_ERROR", "x-provider"),
        }),
        request("POST /v1/payins", {
          second: 9,
          body: {},
          status: 500,
          response: refusal("EXTERNAL_ERROR"),
        }),
        request("POST /v1/payins", { second: 9, body: {}, response: {} }),
      ],
    }),
  },
  "assumptions that responses show": {
    history: history({
      payins: [payin("a", 0, done("completed", 2)), payin("b", 3, { ...done("expired", 4) })],
      deliveries: [delivery("a", "payin.paid"), delivery("b", "payin.expired")],
      requests: [
        creates("payin", "a", {
          sent: { "x-sandbox-assumption": "payin.paid_status=completed, value.unit=cents=1, x" },
        }),
        creates("payin", "b", { second: 3, sent: { "x-sandbox-assumption": "value.unit=reais" } }),
        request("POST /v2/payins", {
          second: 5,
          key: "z",
          body: [],
          status: 400,
          response: { code: "NOT_PROCESSABLE", detail: "No." },
          sent: { "x-sandbox-magic": "value", "x-sandbox-assumption": "error.language=pt" },
        }),
        request("POST /v1/payins", {
          second: 6,
          key: "y",
          body: {},
          status: 502,
          response: {
            code: "EXTERNAL_ERROR",
            message: "Uma falha do sandbox recusa esta chamada, como solicitado. Nada foi feito.",
          },
        }),
      ],
      assumptions: new Map([
        [
          "shop",
          { "value.unit": "cents=1", "payout.auto": "off", "payin.expiry_event": "webhook" },
        ],
      ]),
    }),
  },
  "one of several transactions": {
    only: "b",
    history: history({
      payins: [payin("a", 0)],
      payouts: [payout("c", 1), payout("b", 2), payout("d", 3, { receiver_cpf: "x" })],
      requests: [
        request("PUT /v1/webhooks", { body: { webhook_url: HOOK, events: ["payment.failed"] } }),
        request("PUT /v1/webhooks", { token: "kiosk", body: { webhook_url: HOOK, events: [] } }),
        request("GET /v1/webhooks", {}),
        creates("payin", "a"),
        creates("payout", "c", { second: 1 }),
        creates("payout", "z", {
          second: 1,
          key: "key b",
          status: 400,
          response: refusal("VALIDATION_ERROR", "value"),
        }),
        creates("payout", "z", {
          second: 1,
          key: "key z",
          status: 400,
          response: refusal("VALIDATION_ERROR", "value"),
        }),
        creates("payout", "b", { second: 2 }),
        creates("payout", "d", { second: 3 }),
        request("GET /nothing", {}),
      ],
    }),
  },
};

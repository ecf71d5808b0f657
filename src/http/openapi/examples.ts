import { ASSUMPTIONS } from "../../core/assumptions/table.ts";
import { VERSION } from "../../core/version.ts";

/** What a sandbox with the seed 42 has to tell of a payin of 10.50 that is paid at once, and of a payout that waits. */
const TIME = "2026-11-21T12:00:00.000Z";
const PAYIN_ID = "75a885f0-a8b7-441b-adab-1b5fd683d012";
const PAYOUT_ID = "eb9cf8cc-b6a4-44e5-b3e5-215b384b8deb";
const EVENT_ID = "evt_d54fea834d9782bbcc232f862e1d246c";
const WEBHOOK_URL = "http://localhost:3000/webhooks/pix";
const SECRET = "whsec_7B347/YxZB7zrDJTk1pmWQohryHdtbcO";
const SEED = "42";

const createdPayin = {
  id: PAYIN_ID,
  pix_id: "19d7aac17aea9a148b8dd0139012fbef",
  acquirer_id: "833c83f5-bc44-4881-beba-24f19c7e32da",
  qr_code:
    "00020101021226800014br.gov.bcb.pix2558pix-sandbox.example/qr/v2/19d7aac17aea9a148b8dd0139012fbef5204000053039865802BR5913Loja da Maria6009SAO PAULO62070503***63048DD4",
};

const payinRequest = {
  value: 10.5,
  buyer_cpf: "12345678909",
  buyer_name: "Maria da Silva",
  buyer_email: "maria.silva@example.com",
  webhook_url: WEBHOOK_URL,
};

const paid = {
  ...createdPayin,
  status: "paid",
  ...payinRequest,
  generate_qrcode: false,
  expiration: 240,
  end_to_end_id: "E123456782026112112001d04c8ec5fa",
  created_at: TIME,
  expires_at: "2026-11-21T12:04:00.000Z",
  settled_at: TIME,
};

const payin = { ...paid, integration: "shop" };

const payout = {
  id: PAYOUT_ID,
  status: "waiting",
  value: 25.75,
  description: "Repasse de vendas",
  receiver_cpf: "52998224725",
  receiver_name: "João Pereira",
  receiver_email: "joao.pereira@example.com",
  webhook_url: WEBHOOK_URL,
  pix_key: "52998224725",
  pix_key_type: "cpf",
  end_to_end_id: null,
  created_at: TIME,
  settled_at: null,
  integration: "shop",
};

const webhook = { id: EVENT_ID, type: "payin.paid", created_at: TIME, data: paid };

const attempt = {
  at: TIME,
  status: 200,
  duration_ms: 33,
  response: "OK",
  headers: {
    "content-type": "application/json",
    "webhook-id": EVENT_ID,
    "webhook-timestamp": "1795262400",
    "webhook-signature": "v1,Chkv0p28nHiAjVBZj+X3QxP7ccfsm46cu4pKq1Wlm4c=",
  },
};

const delivery = {
  id: EVENT_ID,
  type: "payin.paid",
  transaction_id: PAYIN_ID,
  url: WEBHOOK_URL,
  status: "delivered",
  body: JSON.stringify(webhook),
  attempts: [attempt],
  next_attempt_at: null,
  created_at: TIME,
  integration: "shop",
};

const attemptEvent = { event_number: 5, ...delivery, attempt_number: 1, attempt };

const request = {
  id: "req_1",
  at: TIME,
  method: "POST",
  path: "/v1/payins",
  headers: {
    host: "127.0.0.1:7490",
    "content-type": "application/json",
    "x-api-token": "[redacted]",
    "x-provider-id": "42",
    "x-provider": "Loja da Maria",
    "x-country-code": "BR",
    "x-idempotency-key": "06fb787a-240b-4cc9-981a-8f8f018e5c72",
  },
  body: JSON.stringify(payinRequest),
  status: 200,
  response_headers: { "content-type": "application/json" },
  response: JSON.stringify(createdPayin),
  lost: false,
  duration_ms: 1.5,
};

const fault = {
  id: "flt_322c2b94d271a1b98fe9f92cd4ecd821",
  on: "payouts.create",
  effect: "error=EXTERNAL_ERROR",
  times: 1,
  used: 0,
  integration: null,
};

const snapshot = {
  name: "paid",
  integration: null,
  taken_at: TIME,
  payins: 1,
  payouts: 1,
  deliveries: 1,
};

const fieldError = {
  message: "buyer_cpf must be a CPF of exactly 11 digits.",
  code: "INVALID_VALUE",
  field: "buyer_cpf",
};
const refusal = {
  message: "Check these fields: buyer_cpf.",
  code: "VALIDATION_ERROR",
  errors: [fieldError],
};

const successRow = ASSUMPTIONS["webhook.success"];

const all = <Row>(row: Row) => ({ data: [row], next: null });

/** An answer of each kind, by the name of its schema. */
export const EXAMPLES = {
  CreatedPayin: createdPayin,
  CreatedPayout: { id: PAYOUT_ID, status: "waiting" },
  Simulated: { message: "The charge was marked as completed in staging." },
  ConfiguredWebhook: { webhook_url: WEBHOOK_URL, events: ["payment.received", "payment.failed"] },
  Payin: payin,
  Payout: payout,
  Delivery: delivery,
  Attempt: attempt,
  Webhook: webhook,
  PayinPage: all(payin),
  PayoutPage: all(payout),
  DeliveryPage: all(delivery),
  ResentDeliveries: all(delivery),
  Clock: {
    now: TIME,
    mode: "frozen",
    happened: [{ at: TIME, kind: "attempt", data: attemptEvent }],
  },
  Settled: { settled: true, now: TIME, mode: "frozen" },
  Reset: { reset: true, integration: null, now: TIME, mode: "frozen" },
  Snapshot: snapshot,
  Snapshots: all(snapshot),
  DeletedSnapshot: { deleted: true, name: "paid", integration: null },
  Request: request,
  RequestPage: all(request),
  Fault: fault,
  FaultPage: all(fault),
  RemovedFaults: all(fault),
  AssumptionTable: all({
    name: "webhook.success",
    gap: successRow.gap,
    default: successRow.standard,
    choice: "only_200",
    choices: successRow.choices,
  }),
  Integrations: all({ integration: "shop" }),
  Secret: { secret: SECRET, seed: SEED },
  Environment: {
    PIX_SANDBOX_URL: "http://127.0.0.1:7490",
    PIX_SANDBOX_BASE_URL: "http://127.0.0.1:7490/v1",
    PIX_SANDBOX_SECRET: SECRET,
    PIX_SANDBOX_TOKEN: "shop",
  },
  Health: { status: "ok", version: VERSION },
  DegradedHealth: { status: "degraded", version: VERSION },
  OpenApi: { openapi: "3.1.1" },
  ConnectedEvent: { stream: "78612014067a2373" },
  MissedEvent: { after: 41, up_to: 44 },
  AttemptEvent: attemptEvent,
  ResetEvent: { integration: "shop" },
  HoldEvent: {
    fault_id: fault.id,
    on: "payouts.create",
    idempotency_key: "order-1",
    integration: "shop",
    held: 1,
  },
  FieldError: fieldError,
  Error: refusal,
  TimedOut: {
    message: `No payin.expired was delivered within 5000 ms. Seen instead: payin.paid ${PAYIN_ID} (delivered, 200).`,
    code: "NOT_PROCESSABLE",
    errors: [],
    seen: [
      {
        id: EVENT_ID,
        type: "payin.paid",
        transaction_id: PAYIN_ID,
        status: "delivered",
        attempts: 1,
        last: 200,
      },
    ],
    seed: SEED,
  },
  Problem: {
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail: refusal.message,
    code: refusal.code,
    errors: refusal.errors,
  },
};

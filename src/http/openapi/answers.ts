import * as z from "zod";
import type { AssumptionRow } from "../../core/assumptions/table.ts";
import { ASSUMPTION_NAMES } from "../../core/assumptions/table.ts";
import { EVENT_TYPES } from "../../core/webhooks/delivery.ts";
import type { Environment } from "../../core/environment.ts";
import type { ErrorCode, TopLevelCode } from "../../core/errors.ts";
import { FAULT_PLACES, FAULTY_OPERATIONS } from "../../core/faults/effects.ts";
import { PIX_KEY_TYPES } from "../../core/payments/pix-key.ts";
import { CONFIGURED_EVENTS } from "../../core/webhooks/webhook-configuration.ts";
import type {
  toWireHold,
  toWireSeen,
  toWireSnapshot,
  WireFault,
  WireAttemptEvent,
  WireDelivery,
  WireEvent,
  WireRequest,
} from "../../core/wire.ts";
import type { WirePayin } from "../../core/payments/payin.ts";
import type { WirePayout } from "../../core/payments/payout.ts";
import { EXAMPLES } from "./examples.ts";

/** What is said of a schema beside its rules. */
const said = z.registry<Record<string, unknown>>();

const uuid = z.uuidv4();
const eventId = z.string().regex(/^evt_[0-9a-f]{32}$/);
const instant = instantWith({});
const endToEndId = z.string().regex(/^E\d{20}[0-9a-f]{11}$/);
const cpf = z.string().regex(/^\d{11}$/);
const value = z.number().positive().register(said, {
  description: "In the unit that the assumption `value.unit` had when the record was created.",
});
const eventType = z.enum(EVENT_TYPES);
const integration = z.string().register(said, { description: "The `x-api-token` it belongs to." });
const settledAt = instant.nullable().register(said, {
  description: "When it reached its final status.",
});

const Payin = z.object({
  id: uuid,
  status: z.enum(["waiting", "paid", "completed", "canceled", "expired"]),
  value,
  description: z.string().exactOptional(),
  buyer_cpf: cpf,
  buyer_name: z.string(),
  buyer_email: z.string(),
  webhook_url: z.string(),
  generate_qrcode: z.boolean(),
  expiration: z.int().min(20).max(172_800),
  pix_id: z.string().regex(/^[0-9a-f]{32}$/),
  acquirer_id: uuid,
  end_to_end_id: endToEndId.nullable().register(said, {
    description: "The payment's id in the PIX system; there is none before a payment.",
  }),
  qr_code: z.string(),
  created_at: instant,
  expires_at: instant,
  settled_at: settledAt,
  integration,
}) satisfies z.ZodType<WirePayin>;

const Payout = z.object({
  id: uuid,
  status: z.enum(["waiting", "completed", "canceled"]),
  value,
  description: z.string().exactOptional(),
  receiver_cpf: cpf,
  receiver_name: z.string(),
  receiver_email: z.string(),
  webhook_url: z.string(),
  pix_key: z.string(),
  pix_key_type: z.enum(PIX_KEY_TYPES),
  end_to_end_id: endToEndId.nullable().register(said, {
    description: "The payment's id in the PIX system; a payout that was not made has none.",
  }),
  created_at: instant,
  settled_at: settledAt,
  integration,
}) satisfies z.ZodType<WirePayout>;

/** What is sent: the record, without the token that is a secret between merchant and gateway. */
const Webhook = z.object({
  id: eventId,
  type: eventType,
  created_at: instantWith({
    description: "The sandbox's time, where `webhook-timestamp` is the real one.",
  }),
  data: z.union([Payin.omit({ integration: true }), Payout.omit({ integration: true })]),
});

const ofAttempt = {
  at: instant,
  duration_ms: z.int().min(0),
  response: z.string().exactOptional().register(said, {
    description: "The beginning of the merchant's answer, at most 16 KiB.",
  }),
  location: z.string().exactOptional().register(said, {
    description: "Where the merchant's answer redirects to; no redirect is followed.",
  }),
  retry_after_seconds: z.number().min(0).exactOptional(),
  resend: z.literal(true).exactOptional(),
  headers: z.object({
    "content-type": z.literal("application/json"),
    "webhook-id": eventId.exactOptional(),
    "webhook-timestamp": z.string().regex(/^\d+$/).exactOptional(),
    "webhook-signature": z
      .string()
      .regex(/^v1,[A-Za-z0-9+/]+=*$/)
      .exactOptional(),
  }),
};

const Attempt = z.union([
  z.object({ status: z.int().min(100).max(999), ...ofAttempt }),
  z.object({ error: z.string(), ...ofAttempt }),
]) satisfies z.ZodType<WireDelivery["attempts"][number]>;

const Delivery = z.object({
  id: eventId,
  type: eventType,
  transaction_id: uuid,
  url: z.string(),
  status: z.enum(["pending", "delivered", "failed"]),
  body: z.string().register(said, {
    description: "The exact text that is signed and sent, at every attempt.",
    contentMediaType: "application/json",
    contentSchema: { $ref: "#/$defs/Webhook" },
  }),
  attempts: z.array(Attempt),
  next_attempt_at: instant.nullable(),
  created_at: instant,
  fault: z.string().exactOptional().register(said, {
    description: "What is made to go wrong with it, such as `duplicate`.",
  }),
  integration,
}) satisfies z.ZodType<WireDelivery>;

const AttemptEvent = z.object({
  event_number: z.int().min(1),
  ...Delivery.shape,
  attempt_number: z.int().min(1),
  attempt: Attempt,
}) satisfies z.ZodType<WireAttemptEvent>;

const mode = z.enum(["real", "frozen"]);

const ResetEvent = z.object({ integration: z.string().nullable() });

const Snapshot = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
  integration: z.string().nullable().register(said, {
    description: "Whose records it holds; null where it holds all of them, and the clock.",
  }),
  taken_at: instant,
  payins: z.int().min(0),
  payouts: z.int().min(0),
  deliveries: z.int().min(0),
}) satisfies z.ZodType<ReturnType<typeof toWireSnapshot>>;

const TimedEvent = z.discriminatedUnion("kind", [
  z.object({ at: instant, kind: z.literal("payin"), data: Payin }),
  z.object({ at: instant, kind: z.literal("payout"), data: Payout }),
  z.object({ at: instant, kind: z.literal("delivery"), data: Delivery }),
  z.object({ at: instant, kind: z.literal("attempt"), data: AttemptEvent }),
  z.object({ at: instant, kind: z.literal("reset"), data: ResetEvent }),
]) satisfies z.ZodType<WireEvent & { at: string }>;

const codes = z.enum([
  "VALIDATION_ERROR",
  "NO_ACTIVE_CREDENTIAL",
  "DUPLICATED_VALUE",
  "NOT_PROCESSABLE",
  "EXTERNAL_ERROR",
]) satisfies z.ZodType<TopLevelCode>;

const FieldError = z.object({
  message: z.string(),
  code: z.enum([
    "INVALID_VALUE",
    "REQUIRED_VALUE",
    "EMPTY_VALUE",
    "NOT_PROCESSABLE",
    "DUPLICATED_VALUE",
  ]) satisfies z.ZodType<ErrorCode>,
  field: z.string().register(said, {
    description: "The member of the body, the parameter or the header at fault.",
  }),
});

const ErrorEnvelope = z.object({
  message: z.string(),
  code: codes,
  errors: z.array(FieldError),
});

const Fault = z.object({
  id: z.string().regex(/^flt_[0-9a-f]{32}$/),
  on: z.enum(FAULT_PLACES),
  effect: z.string(),
  match: z.record(z.string(), z.unknown()).exactOptional(),
  times: z.int().min(0).exactOptional().register(said, {
    description: "How often it still acts; for ever where it is absent.",
  }),
  probability: z.number().min(0).max(1).exactOptional(),
  used: z.int().min(0),
  held: z
    .array(z.object({ idempotency_key: z.string().nullable() }))
    .exactOptional()
    .register(said, { description: "The calls that wait, in the order of their arrival." }),
  integration: z.string().nullable().register(said, {
    description: "The `x-api-token` whose calls it acts on; everyone's where it is null.",
  }),
}) satisfies z.ZodType<WireFault>;

const HoldEvent = z.object({
  fault_id: Fault.shape.id,
  on: z.enum(FAULTY_OPERATIONS).register(said, { description: "The operation of the call." }),
  idempotency_key: z.string().nullable().register(said, {
    description: "The call's `x-idempotency-key`; null for a simulation, which has none.",
  }),
  integration: z.string(),
  held: z.int().min(0).register(said, { description: "How many calls the fault holds now." }),
}) satisfies z.ZodType<ReturnType<typeof toWireHold>>;

const Request = z.object({
  id: z.string().regex(/^req_[0-9]+$/),
  at: instant,
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()).register(said, {
    description:
      "As they were sent, by their names in small letters; `x-api-token`, `authorization` and cookies are redacted.",
  }),
  body: z.string().nullable().register(said, {
    description:
      "Null where there was none, or it was refused unread; cut after 16,384 characters.",
  }),
  status: z.int(),
  response_headers: z.record(z.string(), z.string()),
  response: z.string().nullable(),
  lost: z.boolean().register(said, {
    description: "Whether nobody was there any more to hear the answer.",
  }),
  duration_ms: z.number().min(0),
}) satisfies z.ZodType<WireRequest>;

const Seen = z.object({
  id: eventId,
  type: eventType,
  transaction_id: uuid,
  status: z.enum(["pending", "delivered", "failed"]),
  attempts: z.int().min(0),
  last: z.union([z.int(), z.string(), z.null()]).register(said, {
    description: "How the last attempt ended: the merchant's status, or why there was none.",
  }),
}) satisfies z.ZodType<ReturnType<typeof toWireSeen>>;

const AssumptionChoice = z.union([z.string(), z.int().min(0)]);

/** Every answer that has a body, by the name of its schema. */
const ANSWERS = {
  CreatedPayin: z.object({
    id: uuid,
    pix_id: Payin.shape.pix_id,
    acquirer_id: uuid,
    qr_code: z.string().register(said, { description: "The BR Code, the copy-and-paste text." }),
    qr_code_base64: z.string().exactOptional().register(said, {
      description: "The QR code as a PNG; there where `generate_qrcode` is true.",
    }),
  }),
  CreatedPayout: z.object({ id: uuid, status: z.literal("waiting") }),
  Simulated: z.object({ message: z.string() }),
  ConfiguredWebhook: z.object({
    webhook_url: z.string(),
    events: z.array(z.enum(CONFIGURED_EVENTS)).min(1),
  }),
  Payin,
  Payout,
  Delivery,
  Attempt,
  Webhook,
  PayinPage: pageOf(Payin),
  PayoutPage: pageOf(Payout),
  DeliveryPage: pageOf(Delivery),
  ResentDeliveries: z.object({ data: z.array(Delivery), next: z.null() }),
  Clock: z.object({ now: instant, mode, happened: z.array(TimedEvent) }),
  Settled: z.object({ settled: z.literal(true), now: instant, mode }),
  Reset: z.object({
    reset: z.literal(true),
    integration: z.string().nullable(),
    now: instant,
    mode,
  }),
  Snapshot,
  Snapshots: z.object({ data: z.array(Snapshot), next: z.null() }),
  DeletedSnapshot: z.object({
    deleted: z.literal(true),
    name: z.string(),
    integration: z.string().nullable(),
  }),
  Request,
  RequestPage: pageOf(Request),
  Fault,
  FaultPage: pageOf(Fault),
  RemovedFaults: z.object({ data: z.array(Fault), next: z.null() }),
  AssumptionTable: z.object({
    data: z.array(
      z.object({
        name: z.enum(ASSUMPTION_NAMES),
        gap: z.string(),
        default: AssumptionChoice,
        choice: AssumptionChoice,
        choices: z.record(z.string(), z.string()),
      }) satisfies z.ZodType<AssumptionRow>,
    ),
    next: z.null(),
  }),
  Integrations: z.object({ data: z.array(z.object({ integration: z.string() })), next: z.null() }),
  Secret: z.object({
    secret: z.string().regex(/^whsec_[A-Za-z0-9+/]+=*$/),
    seed: z.string(),
  }),
  Environment: z.object({
    PIX_SANDBOX_URL: z.url(),
    PIX_SANDBOX_BASE_URL: z.url(),
    PIX_SANDBOX_SECRET: z.string().regex(/^whsec_[A-Za-z0-9+/]+=*$/),
    PIX_SANDBOX_TOKEN: z.string(),
  }) satisfies z.ZodType<Environment>,
  Health: z.object({ status: z.literal("ok"), version: z.string() }),
  DegradedHealth: z.object({ status: z.literal("degraded"), version: z.string() }),
  OpenApi: z.looseObject({ openapi: z.string().regex(/^3\.1\.\d+$/) }),
  ConnectedEvent: z.object({ stream: z.string() }),
  MissedEvent: z.object({ after: z.int().min(0), up_to: z.int().min(0) }),
  AttemptEvent,
  ResetEvent,
  HoldEvent,
  FieldError,
  Error: ErrorEnvelope,
  TimedOut: ErrorEnvelope.extend({
    seen: z.array(Seen).max(10),
    seed: z.string().register(said, {
      description:
        "`serve --seed` with it gives the same requests the same ids again, up to the first reset.",
    }),
  }),
  Problem: z.object({
    type: z.literal("about:blank"),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    code: codes,
    errors: z.array(FieldError),
  }),
};

export type AnswerName = keyof typeof ANSWERS;

const MEANINGS: Readonly<Record<AnswerName, string>> = {
  CreatedPayin: "A payin as its creation answers it.",
  CreatedPayout: "A payout as its creation answers it, even where a rival has it canceled at once.",
  Simulated: "A simulation's confirmation; worded of a charge for both.",
  ConfiguredWebhook: "An integration's configured webhook.",
  Payin: "A payin: the request's members, the answer's, and what became of it.",
  Payout: "A payout: the request's members, and what became of it.",
  Delivery: "One webhook to be sent: its bytes, where to, and every attempt so far.",
  Attempt:
    "One POST of a delivery: the merchant's `status`, or the `error` that there was instead.",
  Webhook: "The body of a webhook. Every attempt and every resend carries the same bytes.",
  PayinPage: "Payins in the order of their creation.",
  PayoutPage: "Payouts in the order of their creation.",
  DeliveryPage: "Deliveries in the order of their creation.",
  ResentDeliveries: "All deliveries that were sent again, as they are now.",
  Clock: "The sandbox's time, and what happened as it was moved, in order.",
  Settled: "Nothing is in flight or due at `now`.",
  Reset: "Nothing of what there was is sent any more.",
  Snapshot: "Records as they were at some time, in short.",
  Snapshots: "The snapshots: first those of all integrations, then those of each, by name.",
  DeletedSnapshot: "The snapshot is gone.",
  Request: "A request that the gateway was sent, and what it answered.",
  RequestPage: "Requests in the order of their answers, the newest last.",
  Fault: "A failure that was ordered, and how often it was used.",
  FaultPage: "Faults in the order of their creation.",
  RemovedFaults: "All faults that are gone.",
  AssumptionTable: "Every choice made where the specification is silent, and which one holds.",
  Integrations: "Each `x-api-token` that was used.",
  Secret: "The secret that signs the webhooks, and the seed that ids are drawn from.",
  Environment:
    "Environment variables: the sandbox's address, that of version 1 of its gateway, the secret that signs the integration's webhooks, and its `x-api-token`.",
  Health: "The sandbox is ready.",
  DegradedHealth:
    "The sandbox cannot write its state file: changes are refused with 503 until it can, and reads are answered.",
  OpenApi: "This document.",
  ConnectedEvent:
    "The name of the stream that event numbers belong to: another one, where the sandbox has begun anew.",
  MissedEvent:
    "Of the events with numbers over `after` and up to `up_to`, some were replaced by later ones or dropped.",
  AttemptEvent:
    "An attempt beside its delivery, as the attempt left it; `event_number` is the event's id.",
  HoldEvent: "A call that a fault holds, or held until now.",
  ResetEvent: "Whose records gave way to others, or to none; null where all of them did.",
  FieldError: "What is wrong with one field.",
  Error: "A refusal. `errors` is empty where no field is at fault.",
  TimedOut:
    "What was waited for did not come; `seen` is what there was instead, the nearest first.",
  Problem: "A refusal as RFC 9457 has it, with the envelope's `code` and `errors` as members.",
};

/** The schemas of all answers, by name; they refer to each other as components of an OpenAPI document. */
export function answerSchemas(): Readonly<Record<string, unknown>> {
  const { $defs = {} } = z.toJSONSchema(z.object(ANSWERS), { io: "output", metadata: said });
  return toComponents($defs);
}

function toComponents(definitions: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = JSON.stringify(definitions).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as Record<string, unknown>;
}

function instantWith(meta: Readonly<Record<string, unknown>>) {
  const text = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  return text.register(said, { format: "date-time", ...meta });
}

function pageOf<Row extends z.ZodType>(row: Row) {
  return z.object({
    data: z.array(row),
    next: z.string().nullable().register(said, {
      description: "The `after` of the next page; null on the last one.",
    }),
  });
}

for (const [id, schema] of Object.entries(ANSWERS) as [AnswerName, z.ZodType][])
  said.add(schema, { id, description: MEANINGS[id], examples: [EXAMPLES[id]] });

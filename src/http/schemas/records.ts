import * as z from "zod";
import { DELIVERY_STATUSES } from "../../core/records/delivery.ts";
import { PAYIN_STATUSES, PAYOUT_STATUSES } from "../../core/records/transaction.ts";
import { PIX_KEY_TYPES } from "../../core/records/checks.ts";
import { PAYIN_MEMBERS } from "../parse/bodies.ts";
import { eventId, eventType, instant, integration, SAMPLES, uuid } from "./members.ts";

const cpf = z.string().regex(/^\d{11}$/);
const pixId = z.string().regex(/^[0-9a-f]{32}$/);

/** The members that payins and payouts share: those before their parties', and those after. */
const value = {
  value: z.number().positive().describe("In the unit that `value.unit` had at its creation."),
  description: z.string().exactOptional(),
};
const payment = {
  end_to_end_id: z
    .string()
    .regex(/^E\d{20}[0-9a-f]{11}$/)
    .nullable()
    .describe("The payment's id in the Pix system; null without a payment."),
  created_at: instant,
  settled_at: instant.nullable().describe("When it reached its final status."),
};

/** A payin as webhooks show it: without the secret token. */
const webhookPayin = z.object({
  id: uuid,
  status: z.enum(PAYIN_STATUSES),
  ...value,
  buyer_cpf: cpf,
  buyer_name: z.string(),
  buyer_email: z.string(),
  webhook_url: z.string(),
  ...PAYIN_MEMBERS,
  pix_id: pixId,
  acquirer_id: uuid,
  qr_code: z.string().describe("The BR Code, the copy-and-paste text."),
  expires_at: instant,
  ...payment,
});

const webhookPayout = z.object({
  id: uuid,
  status: z.enum(PAYOUT_STATUSES),
  ...value,
  receiver_cpf: cpf,
  receiver_name: z.string(),
  receiver_email: z.string(),
  webhook_url: z.string(),
  pix_key: z.string(),
  pix_key_type: z.enum(PIX_KEY_TYPES),
  ...payment,
});

export const payin = webhookPayin
  .extend({ integration })
  .meta({ id: "Payin", description: "A payin: its request, its response and its status." });

export const payout = webhookPayout
  .extend({ integration })
  .meta({ id: "Payout", description: "A payout: its request and its status." });

const webhookStatus = z
  .enum(DELIVERY_STATUSES)
  .nullable()
  .describe("The status of its newest webhook; null if it has none.");

export const transaction = z
  .discriminatedUnion("kind", [
    payin.extend({ kind: z.literal("payin"), webhook: webhookStatus }),
    payout.extend({ kind: z.literal("payout"), webhook: webhookStatus }),
  ])
  .meta({ id: "Transaction", description: "A payin or a payout." });

const createdExample = {
  id: SAMPLES.payinId,
  pix_id: "19d7aac17aea9a148b8dd0139012fbef",
  acquirer_id: "833c83f5-bc44-4881-beba-24f19c7e32da",
  qr_code:
    "00020101021226800014br.gov.bcb.pix2558pix-sandbox.example/qr/v2/19d7aac17aea9a148b8dd0139012fbef5204000053039865802BR5913Loja da Maria6009SAO PAULO62070503***63048DD4",
};

export const createdPayin = webhookPayin
  .pick({ id: true, pix_id: true, acquirer_id: true, qr_code: true })
  .extend({
    qr_code_base64: z
      .string()
      .exactOptional()
      .describe("The QR code as a PNG, if `generate_qrcode` is true."),
  })
  .meta({
    id: "CreatedPayin",
    description: "The response to the creation of a payin.",
    examples: [createdExample],
  });

export const createdPayout = z.object({ id: uuid, status: z.literal("waiting") }).meta({
  id: "CreatedPayout",
  description:
    "The response to the creation: always `waiting`. If a rival payout cancels it, the webhook reports that.",
  examples: [{ id: "eb9cf8cc-b6a4-44e5-b3e5-215b384b8deb", status: "waiting" }],
});

export const payinExample = {
  value: 10.5,
  buyer_cpf: "12345678909",
  buyer_name: "Maria da Silva",
  buyer_email: "maria.silva@example.com",
  webhook_url: SAMPLES.webhookUrl,
};

export const webhook = z
  .object({
    id: eventId,
    type: eventType,
    created_at: instant.describe("The sandbox's time; `webhook-timestamp` has the real time."),
    data: z.union([webhookPayin, webhookPayout]),
  })
  .meta({
    id: "Webhook",
    description: "The body of a webhook. Every attempt and every resend carries the same bytes.",
    examples: [
      {
        id: SAMPLES.eventId,
        type: "payin.paid",
        created_at: SAMPLES.time,
        data: {
          ...createdExample,
          ...payinExample,
          status: "paid",
          generate_qrcode: false,
          expiration: 240,
          end_to_end_id: "E123456782026112112001d04c8ec5fa",
          created_at: SAMPLES.time,
          expires_at: "2026-11-21T12:04:00.000Z",
          settled_at: SAMPLES.time,
        },
      },
    ],
  });

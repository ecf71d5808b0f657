import * as z from "zod";
import { PAYIN_STATUSES } from "../../core/records/payin.ts";
import { created, createdPayinExample, payinRequestExample } from "./created-payin.ts";
import { endToEndId } from "./ids.ts";
import { cpf, instant, integration, settledAt, value } from "./members.ts";
import { TIME } from "./samples.ts";

/** A payin as a webhook reports it: without the token, which only merchant and gateway know. */
export const paidExample = {
  ...createdPayinExample,
  status: "paid",
  ...payinRequestExample,
  generate_qrcode: false,
  expiration: 240,
  end_to_end_id: "E123456782026112112001d04c8ec5fa",
  created_at: TIME,
  expires_at: "2026-11-21T12:04:00.000Z",
  settled_at: TIME,
};

export const payinExample = { ...paidExample, integration: "shop" };

/** A payin as webhooks show it: without the secret token. */
export const webhookPayin = z.object({
  id: created.id,
  status: z.enum(PAYIN_STATUSES),
  value,
  description: z.string().exactOptional(),
  buyer_cpf: cpf,
  buyer_name: z.string(),
  buyer_email: z.string(),
  webhook_url: z.string(),
  generate_qrcode: z.boolean(),
  expiration: z.int().min(20).max(172_800),
  pix_id: created.pix_id,
  acquirer_id: created.acquirer_id,
  end_to_end_id: endToEndId.nullable().meta({
    description: "The payment's id in the Pix system; null before a payment.",
  }),
  qr_code: z.string(),
  created_at: instant,
  expires_at: instant,
  settled_at: settledAt,
});

export const payin = webhookPayin.extend({ integration }).meta({
  id: "Payin",
  description: "A payin: the members of its request and its response, and its current status.",
  examples: [payinExample],
});

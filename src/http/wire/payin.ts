import * as z from "zod";
import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { toCents } from "../../core/payments/money.ts";
import { PAYIN_STATUSES, type PayinDraft } from "../../core/payments/payin.ts";
import type { Rules } from "../parse/body-reader.ts";
import {
  bodyObject,
  description,
  partyRules,
  partySchemas,
  sharedRules,
  valueSchema,
  webhookUrl,
} from "../parse/request-members.ts";
import { cpf, endToEndId, instant, integration, settledAt, uuid, value } from "./members.ts";
import { PAYIN_ID, TIME, WEBHOOK_URL } from "./samples.ts";

/** The body of a payin's creation, under the assumptions that `trace` reads. */
export function payinBody(trace: AssumptionTrace) {
  const unit = trace.read("value.unit");
  const buyer = partySchemas(trace);
  const schema = bodyObject(trace)({
    value: valueSchema(unit),
    description: description.optional(),
    buyer_cpf: buyer.cpf,
    buyer_name: buyer.name,
    buyer_email: buyer.email,
    webhook_url: webhookUrl,
    generate_qrcode: z.boolean().default(trace.read("payin.generate_qrcode") === "true"),
    expiration: z.int().min(20).max(172_800).default(240),
  });
  const rules: Rules = {
    ...sharedRules(unit),
    ...partyRules("buyer", trace),
    generate_qrcode: {
      en: "generate_qrcode must be true or false.",
      pt: "generate_qrcode deve ser true ou false.",
    },
    expiration: {
      en: "expiration must be an integer of seconds from 20 to 172800.",
      pt: "expiration deve ser um número inteiro de segundos de 20 a 172800.",
    },
  };
  const toDraft = (body: z.output<typeof schema>): PayinDraft => ({
    valueCents: toCents(body.value, unit) ?? 0,
    valueUnit: unit,
    description: body.description,
    buyerCpf: body.buyer_cpf,
    buyerName: body.buyer_name,
    buyerEmail: body.buyer_email,
    webhookUrl: body.webhook_url,
    generateQrcode: body.generate_qrcode,
    expirationSeconds: body.expiration,
  });
  return { schema, rules, toDraft };
}

/** The members of a payin's creation. */
export const created = {
  id: uuid,
  pix_id: z.string().regex(/^[0-9a-f]{32}$/),
  acquirer_id: uuid,
};

export const createdPayinExample = {
  id: PAYIN_ID,
  pix_id: "19d7aac17aea9a148b8dd0139012fbef",
  acquirer_id: "833c83f5-bc44-4881-beba-24f19c7e32da",
  qr_code:
    "00020101021226800014br.gov.bcb.pix2558pix-sandbox.example/qr/v2/19d7aac17aea9a148b8dd0139012fbef5204000053039865802BR5913Loja da Maria6009SAO PAULO62070503***63048DD4",
};

export const payinRequestExample = {
  value: 10.5,
  buyer_cpf: "12345678909",
  buyer_name: "Maria da Silva",
  buyer_email: "maria.silva@example.com",
  webhook_url: WEBHOOK_URL,
};

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
    description: "The payment's id in the PIX system; null before a payment.",
  }),
  qr_code: z.string(),
  created_at: instant,
  expires_at: instant,
  settled_at: settledAt,
});

/** A payin as control routes and commands show it. */
export const payin = webhookPayin.extend({ integration }).meta({
  id: "Payin",
  description: "A payin: the members of its request and its response, and its current status.",
  examples: [payinExample],
});

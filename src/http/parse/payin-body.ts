import * as z from "zod";
import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { toCents } from "../../core/records/money.ts";
import type { PayinDraft } from "../../core/records/payin.ts";
import type { Rules } from "./body-reader.ts";
import {
  bodyObject,
  description,
  partyRules,
  partySchemas,
  sharedRules,
  valueSchema,
  webhookUrl,
} from "./request-members.ts";

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

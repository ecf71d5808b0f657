import * as z from "zod";
import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { toCents } from "../../core/records/money.ts";
import type { PayoutDraft } from "../../core/records/payout.ts";
import {
  isPixKey,
  PIX_KEY_RULES,
  PIX_KEY_TYPES,
  type PixKeyForms,
  type PixKeyType,
} from "../../core/records/pix-key.ts";
import type { Rules } from "./body-reader.ts";
import { pixKeySchemas } from "./pix-key-schema.ts";
import {
  bodyObject,
  description,
  oneOf,
  partyRules,
  partySchemas,
  sharedRules,
  text,
  textRule,
  valueSchema,
  webhookUrl,
} from "./request-members.ts";

/** The body of a payout's creation, under the assumptions that `trace` reads. */
export function payoutBody(trace: AssumptionTrace) {
  const unit = trace.read("value.unit");
  const receiver = partySchemas(trace);
  const forms: PixKeyForms = {
    "cpf.check": trace.read("cpf.check"),
    "email.size": trace.read("email.size"),
    "phone.size": trace.read("phone.size"),
    "evp.form": trace.read("evp.form"),
  };
  const schema = bodyObject(trace)({
    value: valueSchema(unit),
    description: description.optional(),
    receiver_cpf: receiver.cpf,
    receiver_name: receiver.name,
    receiver_email: receiver.email,
    webhook_url: webhookUrl,
    pix_key: text.meta({ description: "A key of the type that pix_key_type names." }),
    pix_key_type: z.enum(PIX_KEY_TYPES),
  })
    .refine(({ pix_key_type, pix_key }) => isPixKey(pix_key_type, pix_key, forms), {
      path: ["pix_key"],
      // The key is checked even if other members are wrong: one response names them all.
      when: ({ value: body }) => {
        const { pix_key, pix_key_type } = body as Record<string, unknown>;
        return text.safeParse(pix_key).success && isPixKeyType(pix_key_type);
      },
    })
    .meta({ allOf: pixKeySchemas(forms) });
  const rules: Rules = {
    ...sharedRules(unit),
    ...partyRules("receiver", trace),
    pix_key: ({ pix_key_type: type }) =>
      isPixKeyType(type) ? PIX_KEY_RULES[type] : textRule("pix_key"),
    pix_key_type: oneOf("pix_key_type", PIX_KEY_TYPES),
  };
  const toDraft = (body: z.output<typeof schema>): PayoutDraft => ({
    valueCents: toCents(body.value, unit) ?? 0,
    valueUnit: unit,
    description: body.description,
    receiverCpf: body.receiver_cpf,
    receiverName: body.receiver_name,
    receiverEmail: body.receiver_email,
    webhookUrl: body.webhook_url,
    pixKey: body.pix_key,
    pixKeyType: body.pix_key_type,
  });
  return { schema, rules, toDraft };
}

function isPixKeyType(type: unknown): type is PixKeyType {
  return (PIX_KEY_TYPES as readonly unknown[]).includes(type);
}

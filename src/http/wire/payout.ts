import * as z from "zod";
import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { toCents } from "../../core/payments/money.ts";
import { PAYOUT_STATUSES, type PayoutDraft } from "../../core/payments/payout.ts";
import {
  isPixKey,
  PIX_KEY_RULES,
  PIX_KEY_TYPES,
  type PixKeyForms,
  type PixKeyType,
} from "../../core/payments/pix-key.ts";
import type { Rules } from "../parse/body-reader.ts";
import { pixKeySchemas } from "../parse/pix-key-schema.ts";
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
} from "../parse/request-members.ts";
import { cpf, endToEndId, instant, integration, settledAt, uuid, value } from "./members.ts";
import { TIME, WEBHOOK_URL } from "./samples.ts";

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

export const payoutExample = {
  id: "eb9cf8cc-b6a4-44e5-b3e5-215b384b8deb",
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

/** A payout as webhooks show it: without the secret token. */
export const webhookPayout = z.object({
  id: uuid,
  status: z.enum(PAYOUT_STATUSES),
  value,
  description: z.string().exactOptional(),
  receiver_cpf: cpf,
  receiver_name: z.string(),
  receiver_email: z.string(),
  webhook_url: z.string(),
  pix_key: z.string(),
  pix_key_type: z.enum(PIX_KEY_TYPES),
  end_to_end_id: endToEndId.nullable().meta({
    description: "The payment's id in the PIX system; null if the payout was not made.",
  }),
  created_at: instant,
  settled_at: settledAt,
});

/** A payout as control routes and commands show it. */
export const payout = webhookPayout.extend({ integration }).meta({
  id: "Payout",
  description: "A payout: the members of its request, and its current status.",
  examples: [payoutExample],
});

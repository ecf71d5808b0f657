import * as z from "zod";
import type { AssumptionName, Assumptions } from "../../core/assumptions/table.ts";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { CPF_SHAPE, hasCpfCheckDigits } from "../../core/payments/cpf.ts";
import { isEmail } from "../../core/payments/email.ts";
import { toCents } from "../../core/payments/money.ts";
import type { PayinDraft } from "../../core/payments/payin.ts";
import type { PayoutDraft, PayoutOutcome } from "../../core/payments/payout.ts";
import {
  isPixKey,
  PIX_KEY_RULES,
  PIX_KEY_TYPES,
  type PixKeyForms,
  type PixKeyType,
} from "../../core/payments/pix-key.ts";
import { isWebhookUrl } from "../../core/webhooks/webhook-url.ts";
import { CONFIGURED_EVENTS } from "../../core/webhooks/webhook-configuration.ts";
import { type BodyReader, createReader, type Rules } from "./body-reader.ts";
import { pixKeySchemas } from "./pix-key-schema.ts";

/** The body of a simulation. */
export interface Simulation<Status> {
  readonly transactionId: string;
  readonly status: Status;
}

/**
 * The gateway's bodies: the schema of each, the rule of each member in words, and what the core makes of it.
 * Each reads the assumptions that it depends on while it is built.
 */
export const BODIES = {
  payin(trace: AssumptionTrace) {
    const unit = trace.read("value.unit");
    const cpf = cpfSchema(trace.read("cpf.check"));
    const email = emailSchema(trace.read("email.size"));
    const schema = bodyObject(trace)({
      value: valueSchema(unit),
      description: description.optional(),
      buyer_cpf: cpf,
      buyer_name: text,
      buyer_email: email,
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
  },

  payout(trace: AssumptionTrace) {
    const unit = trace.read("value.unit");
    const forms: PixKeyForms = {
      "cpf.check": trace.read("cpf.check"),
      "email.size": trace.read("email.size"),
      "phone.size": trace.read("phone.size"),
      "evp.form": trace.read("evp.form"),
    };
    const schema = bodyObject(trace)({
      value: valueSchema(unit),
      description: description.optional(),
      receiver_cpf: cpfSchema(forms["cpf.check"]),
      receiver_name: text,
      receiver_email: emailSchema(forms["email.size"]),
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
  },

  payinSimulation(trace: AssumptionTrace) {
    const takesCanceled = trace.read("payin.simulation_status") === "also_canceled";
    return simulation(trace, takesCanceled ? PAYOUT_OUTCOMES : (["completed"] as const));
  },

  payoutSimulation: (trace: AssumptionTrace) => simulation(trace, PAYOUT_OUTCOMES),

  webhookConfiguration(trace: AssumptionTrace) {
    trace.read("webhook.configuration");
    const schema = bodyObject(trace)({
      webhook_url: webhookUrl,
      events: z.array(z.enum(CONFIGURED_EVENTS)).min(1),
    });
    const rules: Rules = {
      webhook_url: WEBHOOK_URL_RULE,
      events: {
        en: `events must be a list of at least one of ${CONFIGURED_EVENTS.join(", ")}.`,
        pt: `events deve ser uma lista com ao menos um de ${CONFIGURED_EVENTS.join(", ")}.`,
      },
    };
    const toDraft = (body: z.output<typeof schema>) => ({
      webhookUrl: body.webhook_url,
      events: body.events,
    });
    return { schema, rules, toDraft };
  },
};

export type GatewayBody = keyof typeof BODIES;

type DraftOf<Name extends GatewayBody> = ReturnType<ReturnType<(typeof BODIES)[Name]>["toDraft"]>;

/** Reads one of the gateway's bodies. */
export interface GatewayReader<Draft> extends BodyReader<Draft> {
  /** The assumptions that it was built from. */
  readonly dependsOn: readonly AssumptionName[];
}

/** The readers of the gateway's bodies under one set of assumptions, each built at its first use. */
export type Readers = { readonly [Name in GatewayBody]: GatewayReader<DraftOf<Name>> };

const built = new WeakMap<Assumptions, Readers>();

/** The readers for these assumptions. */
export function readersFor(assumptions: Assumptions): Readers {
  let readers = built.get(assumptions);
  if (!readers) {
    readers = lazyReaders(assumptions);
    built.set(assumptions, readers);
  }
  return readers;
}

function lazyReaders(assumptions: Assumptions): Readers {
  const readers: Partial<Record<GatewayBody, unknown>> = {};
  const names = Object.keys(BODIES) as GatewayBody[];
  const getters = names.map((name) => {
    const get = () => (readers[name] ??= buildReader(BODIES[name], assumptions));
    return [name, { get }] as const;
  });
  return Object.defineProperties({}, Object.fromEntries(getters)) as Readers;
}

function buildReader(
  build: (typeof BODIES)[GatewayBody],
  assumptions: Assumptions,
): GatewayReader<unknown> {
  const names = new Set<AssumptionName>();
  const { schema, rules, toDraft } = build(new AssumptionTrace(assumptions, names));
  const read = createReader(schema as z.ZodType, rules, toDraft as (body: unknown) => unknown);
  return Object.assign(read, { dependsOn: [...names] });
}

/** Well-formed text with a character that is not blank; `\P{Cs}` counts code points. */
const text = z.string().regex(/^(?=[^]*\S)\P{Cs}*$/u);
const description = z
  .string()
  .regex(/^(?=[^]*\S)\P{Cs}{0,140}$/u)
  .meta({ maxLength: 140 });
const webhookUrl = z
  .string()
  .refine(memoize(isWebhookUrl))
  .meta({
    pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/\p{Cc}\p{Cs}][^\s\p{Cc}\p{Cs}]*$`,
  });

function bodyObject(trace: AssumptionTrace) {
  const isStrict = trace.read("unknown_field") === "reject";
  return <Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape> =>
    isStrict ? z.strictObject(shape) : z.object(shape);
}

function valueSchema(unit: Assumptions["value.unit"]) {
  // Not `multipleOf: 0.01`: validators compute it in floating point, where 0.07 is no multiple of 0.01.
  const keywords =
    unit === "centavos"
      ? { type: "integer", minimum: 1, maximum: 999_999_999_999 }
      : { exclusiveMinimum: 0, maximum: 9_999_999_999.99 };
  return z
    .number()
    .refine((number) => toCents(number, unit) !== undefined)
    .meta(keywords);
}

function cpfSchema(check: Assumptions["cpf.check"]) {
  const digits = z.string().regex(CPF_SHAPE);
  return check === "shape" ? digits : digits.refine(hasCpfCheckDigits);
}

function emailSchema(size: Assumptions["email.size"]) {
  return z
    .string()
    .refine((address) => isEmail(address, size))
    .meta({ format: "email", ...(size === "77" && { maxLength: 77 }) });
}

function simulation<Statuses extends readonly [PayoutOutcome, ...PayoutOutcome[]]>(
  trace: AssumptionTrace,
  statuses: Statuses,
) {
  const schema = bodyObject(trace)({ transaction_id: text, status: z.enum(statuses) });
  const rules: Rules = {
    transaction_id: textRule("transaction_id"),
    status: oneOf("status", statuses),
  };
  const toDraft = (body: {
    transaction_id: string;
    status: PayoutOutcome;
  }): Simulation<PayoutOutcome> => ({ transactionId: body.transaction_id, status: body.status });
  return { schema, rules, toDraft };
}

const PAYOUT_OUTCOMES = ["completed", "canceled"] as const satisfies readonly PayoutOutcome[];

function isPixKeyType(value: unknown): value is PixKeyType {
  return (PIX_KEY_TYPES as readonly unknown[]).includes(value);
}

const WEBHOOK_URL_RULE = {
  en: "webhook_url must be an http or https URL without port 0, and not a link-local or metadata address.",
  pt: "webhook_url deve ser uma URL http ou https, sem a porta 0, e não um endereço link-local ou de metadados.",
};

/** The rules of the members that payins and payouts share. */
function sharedRules(unit: Assumptions["value.unit"]): Rules {
  return {
    value:
      unit === "centavos"
        ? {
            en: "value must be a positive integer of centavos, at most 999999999999.",
            pt: "value deve ser um número inteiro positivo de centavos, no máximo 999999999999.",
          }
        : {
            en: "value must be a number more than 0 with at most 2 decimals, at most 9999999999.99.",
            pt: "value deve ser um número maior que 0 com no máximo 2 casas decimais, até 9999999999.99.",
          },
    description: {
      en: "description must be text of at most 140 characters.",
      pt: "description deve ser um texto de no máximo 140 caracteres.",
    },
    webhook_url: WEBHOOK_URL_RULE,
  };
}

/** The rules of the members that describe a buyer or a receiver. */
function partyRules(party: "buyer" | "receiver", trace: AssumptionTrace): Rules {
  const checked = trace.read("cpf.check") === "check_digits";
  const limited = trace.read("email.size") === "77";
  const [cpf, name, email] = [`${party}_cpf`, `${party}_name`, `${party}_email`] as const;
  return {
    [cpf]: {
      en: `${cpf} must be a CPF of exactly 11 digits${checked ? " with valid check digits" : ""}.`,
      pt: `${cpf} deve ser um CPF de exatamente 11 dígitos${checked ? " com dígitos verificadores corretos" : ""}.`,
    },
    [name]: textRule(name),
    [email]: {
      en: `${email} must be a valid e-mail address${limited ? " of at most 77 characters" : ""}.`,
      pt: `${email} deve ser um e-mail válido${limited ? " de no máximo 77 caracteres" : ""}.`,
    },
  };
}

function textRule(field: string) {
  return { en: `${field} must be text.`, pt: `${field} deve ser um texto.` };
}

function oneOf(field: string, values: readonly string[]) {
  const list = values.join(", ");
  return values.length === 1
    ? { en: `${field} must be ${list}.`, pt: `${field} deve ser ${list}.` }
    : { en: `${field} must be one of ${list}.`, pt: `${field} deve ser um de ${list}.` };
}

/** Caches valid addresses: merchants repeat a few, and parsing one costs more than all other checks together. */
function memoize(check: (text: string) => boolean): (text: string) => boolean {
  const passed = new Set<string>();
  return (candidate) => {
    if (passed.has(candidate)) return true;
    if (!check(candidate)) return false;
    if (passed.size >= 1000) passed.clear();
    if (candidate.length <= 1000) passed.add(candidate);
    return true;
  };
}

import * as z from "zod";
import type { AssumptionName, Assumptions } from "../core/assumptions/table.ts";
import { hasCpfCheckDigits } from "../core/payments/cpf.ts";
import { isEmail } from "../core/payments/email.ts";
import { toCents } from "../core/payments/money.ts";
import type { PayinDraft } from "../core/payments/payin.ts";
import type { PayoutDraft, PayoutOutcome } from "../core/payments/payout.ts";
import {
  isPixKey,
  PIX_KEY_RULES,
  PIX_KEY_TYPES,
  type PixKeyType,
} from "../core/payments/pix-key.ts";
import { isWebhookUrl } from "../core/webhooks/webhook-url.ts";
import { CONFIGURED_EVENTS, type ConfiguredEvent } from "../core/webhooks/webhook-configuration.ts";
import { type BodyReader, createReader, type Rules } from "./body-reader.ts";

/** A simulation as it is asked for. */
export interface Simulation<Status> {
  readonly transactionId: string;
  readonly status: Status;
}

/** The readers of every gateway body, as the assumptions have them. */
export interface Readers {
  readonly payin: BodyReader<PayinDraft>;
  readonly payout: BodyReader<PayoutDraft>;
  readonly payinSimulation: BodyReader<Simulation<"completed" | "canceled">>;
  readonly payoutSimulation: BodyReader<Simulation<PayoutOutcome>>;
  readonly webhookConfiguration: BodyReader<{ webhookUrl: string; events: ConfiguredEvent[] }>;
}

/** What each reader is made from the choices of: whoever uses it has asked them. */
export const READ_BY: Readonly<Record<keyof Readers, readonly AssumptionName[]>> = {
  payin: ["value.unit", "cpf.check", "email.size", "payin.generate_qrcode", "unknown_field"],
  payout: ["value.unit", "cpf.check", "phone.size", "evp.form", "email.size", "unknown_field"],
  payinSimulation: ["payin.simulation_status", "unknown_field"],
  payoutSimulation: ["unknown_field"],
  webhookConfiguration: ["webhook.configuration", "unknown_field"],
};

const made = new WeakMap<Assumptions, Readers>();

/** The readers for these assumptions, made at their first use. */
export function readersFor(assumptions: Assumptions): Readers {
  let readers = made.get(assumptions);
  if (!readers) {
    readers = createReaders(assumptions);
    made.set(assumptions, readers);
  }
  return readers;
}

/** Well-formed text that is more than blanks; `\P{Cs}` counts code points, as a person does. */
const text = z.string().regex(/^(?=[^]*\S)\P{Cs}*$/u);
const description = z.string().regex(/^(?=[^]*\S)\P{Cs}{0,140}$/u);
const webhookUrl = z.string().refine(memoize(isWebhookUrl));

/** The gateway's bodies as the assumptions have them: what reads them is made from these, and what describes them. */
export function bodySchemas(assumptions: Assumptions) {
  const object = assumptions["unknown_field"] === "reject" ? z.strictObject : z.object;
  const unit = assumptions["value.unit"];
  const value = z.number().refine((number) => toCents(number, unit) !== undefined);
  const digits = z.string().regex(/^\d{11}$/);
  const cpf = assumptions["cpf.check"] === "shape" ? digits : digits.refine(hasCpfCheckDigits);
  const email = z.string().refine((address) => isEmail(address, assumptions["email.size"]));

  const payin = object({
    value,
    description: description.optional(),
    buyer_cpf: cpf,
    buyer_name: text,
    buyer_email: email,
    webhook_url: webhookUrl,
    generate_qrcode: z.boolean().default(assumptions["payin.generate_qrcode"] === "true"),
    expiration: z.int().min(20).max(172_800).default(240),
  });

  const payout = object({
    value,
    description: description.optional(),
    receiver_cpf: cpf,
    receiver_name: text,
    receiver_email: email,
    webhook_url: webhookUrl,
    pix_key: text,
    pix_key_type: z.enum(PIX_KEY_TYPES),
  }).refine(({ pix_key_type, pix_key }) => isPixKey(pix_key_type, pix_key, assumptions), {
    path: ["pix_key"],
    // The key is looked at even where other members are at fault: one answer names them all.
    when: ({ value: body }) => {
      const { pix_key, pix_key_type } = body as Record<string, unknown>;
      return text.safeParse(pix_key).success && isPixKeyType(pix_key_type);
    },
  });

  const simulation = <Statuses extends readonly [string, ...string[]]>(statuses: Statuses) =>
    object({ transaction_id: text, status: z.enum(statuses) });
  const payinStatuses =
    assumptions["payin.simulation_status"] === "also_canceled"
      ? (["completed", "canceled"] as const)
      : (["completed"] as const);

  return {
    payin,
    payout,
    payinSimulation: simulation(payinStatuses),
    payoutSimulation: simulation(PAYOUT_OUTCOMES),
    webhookConfiguration: object({
      webhook_url: webhookUrl,
      events: z.array(z.enum(CONFIGURED_EVENTS)).min(1),
    }),
  };
}

function createReaders(assumptions: Assumptions): Readers {
  const unit = assumptions["value.unit"];
  const cents = (number: number): number => toCents(number, unit) ?? 0;
  const rules = rulesFor(assumptions);
  const { payin, payout, payinSimulation, payoutSimulation, webhookConfiguration } =
    bodySchemas(assumptions);
  return {
    payin: createReader(payin, rules, (body) => ({
      valueCents: cents(body.value),
      valueUnit: unit,
      description: body.description,
      buyerCpf: body.buyer_cpf,
      buyerName: body.buyer_name,
      buyerEmail: body.buyer_email,
      webhookUrl: body.webhook_url,
      generateQrcode: body.generate_qrcode,
      expirationSeconds: body.expiration,
    })),
    payout: createReader(payout, rules, (body) => ({
      valueCents: cents(body.value),
      valueUnit: unit,
      description: body.description,
      receiverCpf: body.receiver_cpf,
      receiverName: body.receiver_name,
      receiverEmail: body.receiver_email,
      webhookUrl: body.webhook_url,
      pixKey: body.pix_key,
      pixKeyType: body.pix_key_type,
    })),
    payinSimulation: createReader(
      payinSimulation,
      { ...rules, status: oneOf("status", payinSimulation.shape.status.options) },
      toSimulation,
    ),
    payoutSimulation: createReader(
      payoutSimulation,
      { ...rules, status: oneOf("status", payoutSimulation.shape.status.options) },
      toSimulation,
    ),
    webhookConfiguration: createReader(webhookConfiguration, rules, (body) => ({
      webhookUrl: body.webhook_url,
      events: body.events,
    })),
  };
}

const PAYOUT_OUTCOMES = ["completed", "canceled"] as const satisfies readonly PayoutOutcome[];

function toSimulation<Status>(body: {
  transaction_id: string;
  status: Status;
}): Simulation<Status> {
  return { transactionId: body.transaction_id, status: body.status };
}

function isPixKeyType(value: unknown): value is PixKeyType {
  return (PIX_KEY_TYPES as readonly unknown[]).includes(value);
}

/** What each member must be, said where it is not. */
export function rulesFor(assumptions: Assumptions): Rules {
  const checked = assumptions["cpf.check"] === "check_digits";
  const cpf = (field: string) => ({
    en: `${field} must be a CPF of exactly 11 digits${checked ? " whose check digits hold" : ""}.`,
    pt: `${field} deve ser um CPF de exatamente 11 dígitos${checked ? " com dígitos verificadores corretos" : ""}.`,
  });
  const name = (field: string) => ({
    en: `${field} must be text.`,
    pt: `${field} deve ser um texto.`,
  });
  const email = (field: string) => ({
    en: `${field} must be a valid e-mail address${assumptions["email.size"] === "77" ? " of at most 77 characters" : ""}.`,
    pt: `${field} deve ser um e-mail válido${assumptions["email.size"] === "77" ? " de no máximo 77 caracteres" : ""}.`,
  });
  return {
    value:
      assumptions["value.unit"] === "centavos"
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
    buyer_cpf: cpf("buyer_cpf"),
    buyer_name: name("buyer_name"),
    buyer_email: email("buyer_email"),
    receiver_cpf: cpf("receiver_cpf"),
    receiver_name: name("receiver_name"),
    receiver_email: email("receiver_email"),
    webhook_url: {
      en: "webhook_url must be an http or https address, not a link-local or metadata one, and not port 0.",
      pt: "webhook_url deve ser um endereço http ou https, não um link-local ou de metadados, e não a porta 0.",
    },
    generate_qrcode: {
      en: "generate_qrcode must be true or false.",
      pt: "generate_qrcode deve ser true ou false.",
    },
    expiration: {
      en: "expiration must be an integer of seconds from 20 to 172800.",
      pt: "expiration deve ser um número inteiro de segundos de 20 a 172800.",
    },
    pix_key: ({ pix_key_type: type }) =>
      isPixKeyType(type) ? PIX_KEY_RULES[type] : name("pix_key"),
    pix_key_type: oneOf("pix_key_type", PIX_KEY_TYPES),
    transaction_id: name("transaction_id"),
    events: {
      en: `events must be a list of at least one of ${CONFIGURED_EVENTS.join(", ")}.`,
      pt: `events deve ser uma lista com ao menos um de ${CONFIGURED_EVENTS.join(", ")}.`,
    },
  };
}

function oneOf(field: string, values: readonly string[]) {
  const list = values.join(", ");
  return values.length === 1
    ? { en: `${field} must be ${list}.`, pt: `${field} deve ser ${list}.` }
    : { en: `${field} must be one of ${list}.`, pt: `${field} deve ser um de ${list}.` };
}

/** Merchants send the same few addresses over and over, and parsing one costs more than all other checks together. */
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

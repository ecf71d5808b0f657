import * as z from "zod";
import type { Assumptions } from "../../core/assumptions/table.ts";
import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { CPF_SHAPE, hasCpfCheckDigits } from "../../core/records/cpf.ts";
import { isEmail } from "../../core/records/email.ts";
import { toCents } from "../../core/records/money.ts";
import { isWebhookUrl } from "../../core/records/webhook-url.ts";
import type { Rules } from "./body-reader.ts";

// The schemas of members that several request bodies have, and their rules in words.

/** Well-formed text with a character that is not blank; `\P{Cs}` counts code points. */
export const text = z.string().regex(/^(?=[^]*\S)\P{Cs}*$/u);
export const description = z
  .string()
  .regex(/^(?=[^]*\S)\P{Cs}{0,140}$/u)
  .meta({ maxLength: 140 });
export const webhookUrl = z
  .string()
  .refine(memoize(isWebhookUrl))
  .meta({
    pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/\p{Cc}\p{Cs}][^\s\p{Cc}\p{Cs}]*$`,
  });

export function bodyObject(trace: AssumptionTrace) {
  const isStrict = trace.read("unknown_field") === "reject";
  return <Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape> =>
    isStrict ? z.strictObject(shape) : z.object(shape);
}

export function valueSchema(unit: Assumptions["value.unit"]) {
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

export const WEBHOOK_URL_RULE = {
  en: "webhook_url must be an http or https URL without port 0, and not a link-local or metadata address.",
  pt: "webhook_url deve ser uma URL http ou https, sem a porta 0, e não um endereço link-local ou de metadados.",
};

/** The rules of the members that payins and payouts share. */
export function sharedRules(unit: Assumptions["value.unit"]): Rules {
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

/** The members that describe a buyer or a receiver. */
export function partySchemas(trace: AssumptionTrace) {
  return {
    cpf: cpfSchema(trace.read("cpf.check")),
    name: text,
    email: emailSchema(trace.read("email.size")),
  };
}

/** The rules of the members that describe a buyer or a receiver. */
export function partyRules(party: "buyer" | "receiver", trace: AssumptionTrace): Rules {
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

export function textRule(field: string) {
  return { en: `${field} must be text.`, pt: `${field} deve ser um texto.` };
}

export function oneOf(field: string, values: readonly string[]) {
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

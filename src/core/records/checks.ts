import type { Assumptions } from "../assumptions/table.ts";
import { type Message, say } from "../../text/message.ts";

/** The central bank's largest amount, R$ 9,999,999,999.99, in centavos. */
const MAX_CENTS = 999_999_999_999;

/**
 * The amount that a number stands for, in its unit; undefined if it is none. A floating-point sum such as 0.1 + 0.2
 * stands for one: it differs only in the last bits of the number.
 */
export function toAmount(value: number, unit: Assumptions["value.unit"]): number | undefined {
  const cents = unit === "centavos" ? value : Math.round(value * 100);
  if (!Number.isSafeInteger(cents) || cents < 1 || cents > MAX_CENTS) return undefined;
  if (unit === "centavos") return cents;
  return Math.abs(cents / 100 - value) <= 2 * Number.EPSILON * value ? cents / 100 : undefined;
}

/** The specification's shape of a CPF. */
export const CPF_SHAPE = /^\d{11}$/;

/** Whether both check digits are right and the digits are not all the same. */
export function hasCpfCheckDigits(text: string): boolean {
  const isOneDigit = /^(\d)\1*$/.test(text);
  return CPF_SHAPE.test(text) && !isOneDigit && withCheckDigits(text.slice(0, 9)) === text;
}

/** Appends both check digits to nine digits (weights 10…2 and 11…2, modulo 11). */
export function withCheckDigits(nine: string): string {
  let text = nine;
  for (const length of [9, 10]) {
    let sum = 0;
    for (let index = 0; index < length; index++) sum += Number(text[index]) * (length + 1 - index);
    text += ((sum * 10) % 11) % 10;
  }
  return text;
}

/** The form that HTML and most gateways accept: one @, no blanks, a dotted domain, ASCII only. */
const EMAIL =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]*[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/;

export function isEmail(text: string, size: Assumptions["email.size"]): boolean {
  return EMAIL.test(text) && (size === "any" || text.length <= 77);
}

export const PIX_KEY_TYPES = ["cpf", "email", "phone", "evp"] as const;
export type PixKeyType = (typeof PIX_KEY_TYPES)[number];

/** The forms of phone keys, by the choice of `phone.size`. The OpenAPI document has the same expressions. */
export const PHONE_FORMS: Readonly<Record<Assumptions["phone.size"], RegExp>> = {
  either: /^\+[1-9][0-9]{11,12}$/,
  words: /^\+55[0-9]{11}$/,
  size: /^\+[1-9][0-9]{11}$/,
};

/** The forms of random keys, by the choice of `evp.form`. */
export const EVP_FORMS: Readonly<Record<Assumptions["evp.form"], RegExp>> = {
  any: /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/,
  lower_v4: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
};

/** The assumptions that decide which keys are valid. */
export type PixKeyForms = Pick<Assumptions, "cpf.check" | "email.size" | "phone.size" | "evp.form">;

/** Whether a Pix key has the form that its type requires. */
export function isPixKey(type: PixKeyType, key: string, forms: PixKeyForms): boolean {
  if (type === "email") return isEmail(key, forms["email.size"]);
  if (type === "phone") return PHONE_FORMS[forms["phone.size"]].test(key);
  if (type === "evp") return EVP_FORMS[forms["evp.form"]].test(key);
  return forms["cpf.check"] === "shape" ? CPF_SHAPE.test(key) : hasCpfCheckDigits(key);
}

/** The forms of keys in the central bank's directory but for e-mail: CPF, CNPJ, phone and random key. */
const DIRECTORY_FORMS = [
  CPF_SHAPE,
  /^[\dA-Z]{12}\d\d$/,
  /^\+[1-9]\d{2,15}$/,
  /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/,
];

/** Whether a key has one of the directory's five forms. The assumptions of the gateway's fields do not count. */
export function isDirectoryKey(key: string): boolean {
  const isLowEmail = key === key.toLowerCase() && isEmail(key, "77");
  return isLowEmail || DIRECTORY_FORMS.some((form) => form.test(key));
}

/** The required form of each type's keys, for refusals. */
export const PIX_KEY_RULES: Record<PixKeyType, Message> = {
  cpf: say`pix_key must be a CPF of 11 digits, because pix_key_type is cpf.`,
  email: say`pix_key must be a valid e-mail address, because pix_key_type is email.`,
  phone: say`pix_key must be + followed by country code, area code and a 9-digit number (+5511987654321), because pix_key_type is phone.`,
  evp: say`pix_key must be a UUID of 36 characters, because pix_key_type is evp.`,
};

import type { Assumptions } from "../assumptions/table.ts";
import { hasCpfCheckDigits, isCpfShape } from "./cpf.ts";
import { isEmail } from "./email.ts";
import { type Message, say } from "../../text/message.ts";

export const PIX_KEY_TYPES = ["cpf", "email", "phone", "evp"] as const;
export type PixKeyType = (typeof PIX_KEY_TYPES)[number];

const PHONE_PATTERNS: Record<Assumptions["phone.size"], RegExp> = {
  either: /^\+[1-9]\d?\d{2}\d{9}$/,
  words: /^\+55\d{11}$/,
  size: /^\+[1-9]\d{11}$/,
};

const EVP_PATTERNS: Record<Assumptions["evp.form"], RegExp> = {
  any: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  lower_v4: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
};

/** The assumptions that decide which keys are valid. */
export type PixKeyForms = Pick<Assumptions, "cpf.check" | "email.size" | "phone.size" | "evp.form">;

/** Whether a Pix key has the form that its type requires. */
export function isPixKey(type: PixKeyType, key: string, forms: PixKeyForms): boolean {
  switch (type) {
    case "cpf":
      return forms["cpf.check"] === "shape" ? isCpfShape(key) : hasCpfCheckDigits(key);
    case "email":
      return isEmail(key, forms["email.size"]);
    case "phone":
      return PHONE_PATTERNS[forms["phone.size"]].test(key);
    case "evp":
      return EVP_PATTERNS[forms["evp.form"]].test(key);
  }
}

/**
 * What two keys of one recipient have in common: UUIDs and e-mail addresses are compared without regard
 * to letter case, and the other types have no letters.
 */
export function recipientKey(pixKey: string): string {
  return pixKey.toLowerCase();
}

/** The required form of each type's keys, for refusals. */
export const PIX_KEY_RULES: Record<PixKeyType, Message> = {
  cpf: say`pix_key must be a CPF of 11 digits, because pix_key_type is cpf.`,
  email: say`pix_key must be a valid e-mail address, because pix_key_type is email.`,
  phone: say`pix_key must be + followed by country code, area code and a 9-digit number (+5511987654321), because pix_key_type is phone.`,
  evp: say`pix_key must be a UUID of 36 characters, because pix_key_type is evp.`,
};

import type { DeviationId } from "./deviations.ts";
import type { Choices } from "./rows.ts";

/** One offending field or header. */
export interface Offence {
  readonly field: string;
  readonly code: "REQUIRED_VALUE" | "EMPTY_VALUE" | "INVALID_VALUE";
}
export type Body = Readonly<Record<string, unknown>>;
/** Whether this variant has a deviation that shows right now. */
export type Deviates = (id: DeviationId) => boolean;
export type OperationName =
  | "payins.create"
  | "payouts.create"
  | "payins.simulate"
  | "payouts.simulate"
  | "webhooks.put"
  | "webhooks.get";

interface Field {
  readonly optional?: boolean;
  readonly isValid: (value: unknown, body: Body) => boolean;
}
type Fields = Readonly<Record<string, Field>>;

const MAX_DEPTH = 32;
const KEY_TYPES = ["cpf", "email", "phone", "evp"];
const EVENTS = ["payment.received", "payment.failed"];
const IDENTIFICATION = ["x-api-token", "x-provider-id", "x-provider", "x-country-code"];

/** The offences of the headers: those that were sent twice, are missing, empty or wrong. */
export function headerOffences(
  sent: NodeJS.Dict<string[]>,
  isCreation: boolean,
  choices: Choices,
): Offence[] {
  const names = isCreation ? [...IDENTIFICATION, "x-idempotency-key"] : IDENTIFICATION;
  return names.flatMap((field): Offence[] => {
    const [value, ...others] = sent[field] ?? [];
    if (value === undefined) return [{ field, code: "REQUIRED_VALUE" }];
    if (others.length > 0) return [{ field, code: "INVALID_VALUE" }];
    if (value.trim() === "") return [{ field, code: "EMPTY_VALUE" }];
    const isWrong = field === "x-country-code" && !isCountry(value.trim(), choices);
    return isWrong ? [{ field, code: "INVALID_VALUE" }] : [];
  });
}

function isCountry(value: string, choices: Choices): boolean {
  return (choices.country_code === "br_only" ? /^br$/i : /^[a-z]{2}$/i).test(value);
}

/** The body as an object; undefined if it is not well-formed UTF-8, not JSON, too deep or not an object. */
export function parseBody(bytes: Buffer): Body | undefined {
  try {
    const value: unknown = JSON.parse(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    );
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && depthOf(value) <= MAX_DEPTH ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((most, one) => Math.max(most, depthOf(one)), 0);
}

/** The offences of the body, in the order of the documented fields. */
export function bodyOffences(
  operation: OperationName,
  body: Body,
  choices: Choices,
  deviates: Deviates,
): Offence[] {
  const fields = fieldsOf(operation, choices, deviates);
  const offences = Object.entries(fields).flatMap(([field, { optional, isValid }]): Offence[] => {
    const value = body[field];
    if (!Object.hasOwn(body, field)) return optional ? [] : [{ field, code: "REQUIRED_VALUE" }];
    if (isEmpty(value)) return [{ field, code: "EMPTY_VALUE" }];
    return isValid(value, body) ? [] : [{ field, code: "INVALID_VALUE" }];
  });
  if (choices.unknown_field === "reject") {
    const unknown = Object.keys(body).filter((field) => !Object.hasOwn(fields, field));
    offences.push(...unknown.map((field): Offence => ({ field, code: "INVALID_VALUE" })));
  }
  return offences;
}

function fieldsOf(operation: OperationName, choices: Choices, deviates: Deviates): Fields {
  const text: Field = { isValid: (value) => typeof value === "string" };
  const cpf: Field = { isValid: (value) => isCpf(value, choices) };
  const email: Field = { isValid: (value) => isEmail(value, choices) };
  const webhook_url: Field = { isValid: isWebhookUrl };
  const statusOf = (...known: string[]): Field => ({
    isValid: (value) => typeof value === "string" && known.includes(value),
  });
  const value: Field = {
    isValid: (amount) =>
      choices["value.unit"] === "centavos" ? isCentavos(amount) : isReais(amount),
  };
  const description: Field = {
    optional: true,
    isValid(words) {
      if (typeof words !== "string") return false;
      const { length } = Array.from(words);
      return length <= 140 && !(length > 100 && deviates("limit.description_100"));
    },
  };
  switch (operation) {
    case "payins.create":
      return {
        value,
        description,
        buyer_cpf: cpf,
        buyer_name: text,
        buyer_email: email,
        webhook_url,
        generate_qrcode: { optional: true, isValid: (one) => typeof one === "boolean" },
        expiration: { optional: true, isValid: (seconds) => isExpiration(seconds, deviates) },
      };
    case "payouts.create":
      return {
        value,
        description,
        receiver_cpf: cpf,
        receiver_name: text,
        receiver_email: email,
        webhook_url,
        pix_key: { isValid: (key, { pix_key_type: type }) => isPixKey(key, type, choices) },
        pix_key_type: statusOf(...KEY_TYPES),
      };
    case "payins.simulate": {
      const isEither = choices["payin.simulation_status"] === "also_canceled";
      const status = isEither ? statusOf("completed", "canceled") : statusOf("completed");
      return { transaction_id: text, status };
    }
    case "payouts.simulate":
      return { transaction_id: text, status: statusOf("completed", "canceled") };
    case "webhooks.put":
      return { webhook_url, events: { isValid: isEvents } };
    case "webhooks.get":
      return {};
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === "string" && value.trim() === "");
}

function isReais(value: unknown): boolean {
  if (typeof value !== "number" || !(value > 0) || value > 9_999_999_999.99) return false;
  const withoutNoise = Number(value.toPrecision(16));
  return Number(withoutNoise.toFixed(2)) === withoutNoise;
}

function isCentavos(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 999_999_999_999;
}

function isExpiration(value: unknown, deviates: Deviates): boolean {
  const seconds = Number.isInteger(value) ? Number(value) : 0;
  if (seconds < 20) return false;
  if (seconds < 60 && deviates("limit.expiration_from_60")) return false;
  return seconds <= 172_800;
}

function isCpf(value: unknown, choices: Choices): boolean {
  if (typeof value !== "string" || !/^\d{11}$/.test(value)) return false;
  return choices["cpf.check"] === "shape" || hasCheckDigits(value);
}

/** Whether both check digits are right; eleven equal digits are no CPF although theirs are. */
function hasCheckDigits(cpf: string): boolean {
  const digits = Array.from(cpf, Number);
  const isRight = (at: number) => {
    const sum = digits
      .slice(0, at)
      .reduce((all, digit, index) => all + digit * (at + 1 - index), 0);
    return digits[at] === ((sum * 10) % 11) % 10;
  };
  return new Set(digits).size > 1 && isRight(9) && isRight(10);
}

const EMAIL = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@LABEL(?:\.LABEL)+$/;
const LABEL = "[a-zA-Z\\d](?:[a-zA-Z\\d-]*[a-zA-Z\\d])?";
const EMAILS = new RegExp(EMAIL.source.replaceAll("LABEL", LABEL));

function isEmail(value: unknown, choices: Choices): boolean {
  if (typeof value !== "string" || !EMAILS.test(value)) return false;
  return choices["email.size"] === "any" || value.length <= 77;
}

const PHONES: Readonly<Record<string, RegExp>> = {
  either: /^\+[1-9]\d?\d{11}$/,
  words: /^\+55\d{11}$/,
  size: /^\+\d{12}$/,
};
const UUIDS: Readonly<Record<string, RegExp>> = {
  any: /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i,
  lower_v4: /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
};

/** Whether a key has the form of its type; a key of an unknown type is not judged, its type is. */
function isPixKey(key: unknown, type: unknown, choices: Choices): boolean {
  if (typeof key !== "string") return false;
  if (type === "cpf") return isCpf(key, choices);
  if (type === "email") return isEmail(key, choices);
  if (type === "phone") return PHONES[choices["phone.size"]]?.test(key) ?? false;
  if (type === "evp") return UUIDS[choices["evp.form"]]?.test(key) ?? false;
  return true;
}

function isWebhookUrl(value: unknown): boolean {
  if (typeof value !== "string" || !/^https?:/i.test(value) || !URL.canParse(value)) return false;
  const { hostname } = new URL(value);
  return !/^(?:169\.254\.|\[fe[89ab]|metadata\.google\.internal$)/.test(hostname);
}

function isEvents(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => EVENTS.includes(one));
}

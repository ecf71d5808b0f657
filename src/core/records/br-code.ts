import { assertCrc } from "./br-code-damage.ts";
import {
  BrCodeError,
  findPixTemplate,
  isTemplate,
  nameOf,
  PIX,
  quote,
  readAnyFields,
  refuse,
} from "./br-code-fields.ts";
import { crc16, crcToHex } from "./crc16.ts";
import { isDirectoryKey, toDirectoryKey } from "./checks.ts";
import { type Message, say, verbatim } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

export { BrCodeError, isLikeBrCode } from "./br-code-fields.ts";

/** The content of a BR Code, with the field of each member. */
export interface BrCode {
  /** What the code refers to: a Pix key, a charge's location, or only a recurrence's location. */
  readonly kind: "static" | "dynamic" | "recurrence";
  /** 26-01. */
  readonly pixKey?: string | undefined;
  /** 26-25: an https address without its scheme. */
  readonly location?: string | undefined;
  /** 26-02. */
  readonly description?: string | undefined;
  /** 54 as written, in reais. Payers ignore it in a dynamic code, but some providers fill it. */
  readonly amount?: string | undefined;
  /** 59. */
  readonly merchantName: string;
  /** 60. */
  readonly merchantCity: string;
  /** 62-05; absent if the code has `***`, which means none. */
  readonly txid?: string | undefined;
  /** 25 of a template 80 to 99, for Pix Automático. */
  readonly recurrenceLocation?: string | undefined;
}

type Rule = readonly [shape: RegExp, expected: Message];

// A template has 99 characters; the arrangement's name leaves 77.
const LOCATION_SHAPE = /^(?=.{1,77}$)(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?\/[!-~]*$/i;
const LOCATION: Rule = [LOCATION_SHAPE, say`host/path, no https://, up to 77 characters`];
const KEY_FORMS = say`a CPF or CNPJ without punctuation, an e-mail address in lower case, a phone number such as +5561912345678, or a random key in lower case with its dashes`;
const AMOUNT: Rule = [/^\d{1,10}(?:\.\d{0,2})?$/, say`in reais, such as 10.50`]; // EMV 4.7.4.1
const NAME: Rule = [/^.{1,25}$/su, say`1 to 25 characters`];
const CITY: Rule = [/^.{1,15}$/su, say`1 to 15 characters`];

/**
 * Writes a dynamic BR Code without an amount: the payer reads the amount from the location.
 * @throws RangeError if a value does not fit its field; `toBrCodeText` makes names fit.
 */
export function writeBrCode(draft: {
  readonly location: string;
  readonly merchantName: string;
  readonly merchantCity: string;
}): string {
  const url = toField("25", toWritable("26-25", LOCATION, draft.location));
  const name = toField("59", toWritable("59", NAME, draft.merchantName));
  const city = toField("60", toWritable("60", CITY, draft.merchantCity));
  const start = `000201010212${toField("26", `0014${PIX}${url}`)}5204000053039865802BR`;
  // The location serves the charge's txid; 62-05 is too short for it.
  const text = `${start}${name}${city}62070503***6304`;
  return text + crcToHex(crc16(text));
}

/**
 * Creates a writer of codes that differ only in the last part of their location, such as a charge's id.
 * The common part is written, checked and hashed once for each length of the last part.
 */
function createBrCodeWriter(draft: {
  readonly locationBase: string;
  readonly merchantName: string;
  readonly merchantCity: string;
}): (id: string) => string {
  let shared: { length: number; before: string; after: string; crcBefore: number } | undefined;
  return (id) => {
    if (shared?.length !== id.length) {
      const code = writeBrCode({ ...draft, location: draft.locationBase + id });
      const start = code.indexOf(draft.locationBase) + draft.locationBase.length;
      const before = code.slice(0, start);
      const after = code.slice(start + id.length, -4);
      shared = { length: id.length, before, after, crcBefore: crc16(before) };
      return code;
    }
    const { before, after, crcBefore } = shared;
    const crc = crcToHex(crc16(after, crc16(id, crcBefore)));
    return [before, id, after, crc].join("");
  };
}

const SPELLINGS = new Map(
  "ßss ẞSS æae ÆAE œoe ŒOE øo ØO łl ŁL đd ĐD ðd ÐD þth ÞTh ıi ºo ªa"
    .split(" ")
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);

/**
 * Folds a text to the characters that fields 59 and 60 allow, cut at `maxLength`; `fallback` if nothing is left.
 * Banks refuse accents and `&` ("Esperado ANS"). Letters, digits, blanks, `.`, `-` and `_` stay, since banks
 * accept codes with them; other punctuation becomes a blank.
 */
export function toBrCodeText(text: string, maxLength: number, fallback: string): string {
  const folded = text
    .normalize("NFD")
    .replace(/[^\s!-~]/g, (character) => SPELLINGS.get(character) ?? "")
    .replace(/[^\w.-]+/g, " ");
  return folded.trim().slice(0, maxLength).trimEnd() || fallback;
}

/** Whether a city's name has any character that field 60 allows. */
export function isCity(text: string): boolean {
  return toBrCodeText(text, 15, "") !== "";
}

/** Merchants have one name each. A limit: a caller that sends new names must not fill the memory. */
const MAX_WRITERS = 100;

/** The part of BR Codes that does not depend on the charge. */
export interface BrCodeSettings {
  /** Host and optional path of the charges' locations. The host cannot exist, so that no code can be paid for real. */
  readonly locationBase: string;
  /** The merchant's city. */
  readonly city: string;
}

/** Writes the BR Codes of charges, each with its merchant's name and the charge's location. */
export class BrCodeFactory {
  readonly #locationBase: string;
  readonly #city: string;
  readonly #writers = new Map<string, (pixId: string) => string>();

  constructor({ locationBase, city }: BrCodeSettings) {
    this.#locationBase = `${locationBase}/qr/v2/`;
    this.#city = toBrCodeText(city, 15, "SAO PAULO");
  }

  /** Whether a code's location is below the address of these charges. */
  isOwn(location: string): boolean {
    return location.startsWith(this.#locationBase);
  }

  /** @param provider the merchant's name as the call sent it: any text */
  write(pixId: string, provider: string): string {
    let write = this.#writers.get(provider);
    if (!write) {
      if (this.#writers.size >= MAX_WRITERS) this.#writers.clear();
      write = createBrCodeWriter({
        locationBase: this.#locationBase,
        merchantName: toBrCodeText(provider, 25, "PIX SANDBOX"),
        merchantCity: this.#city,
      });
      this.#writers.set(provider, write);
    }
    return write(pixId);
  }
}

/** The content of a code; undefined for a text that is none, such as a code in a state file that was edited. */
export function findBrCode(text: string): BrCode | undefined {
  try {
    return readBrCode(text);
  } catch (error) {
    if (error instanceof BrCodeError) return undefined;
    throw error;
  }
}

/**
 * Reads a static or dynamic Pix BR Code, including variations that providers use.
 * @throws BrCodeError
 */
export function readBrCode(text: string): BrCode {
  assertCrc(text); // first: one changed character can make any other field look wrong
  const { fields, error } = readAnyFields(text);
  if (error) throw error;
  for (const [id, value] of fields) {
    if (isTemplate(id) || !/\p{Cc}/u.test(value)) continue;
    refuse(id, say`(${nameOf(id)}) must not have control characters, but is ${quote(value)}`);
  }
  const optional = (id: string, [shape, expected]: Rule): string | undefined => {
    const value = fields.get(id);
    if (value === undefined || shape.test(value)) return value;
    const name = nameOf(id);
    return refuse(id, say`(${name}) must be ${expected}, but is ${quote(value)}`);
  };
  const required = (id: string, rule: Rule): string =>
    optional(id, rule) ?? refuse(id, say`(${nameOf(id)}) must be ${rule[1]}, but is missing`);

  required("00", [/^01$/, verbatim("01")]);
  optional("01", [/^1[12]$/, say`11 or 12`]);
  required("52", [/^\d{4}$/, say`four digits`]);
  required("53", [/^986$/, say`986, the real`]);
  required("58", [/^BR$/, verbatim("BR")]);

  const account = findPixTemplate(fields, "26", "51");
  if (!account) return refuse("26-00", say`must be ${PIX}, here or in a template up to 51`);
  const pixKey = fields.get(`${account}-01`);
  if (pixKey !== undefined) assertKey(`${account}-01`, pixKey);
  const location = optional(`${account}-25`, LOCATION);
  if (pixKey !== undefined && location !== undefined) {
    return refuse(`${account}-25`, say`(location) must be absent beside ${account}-01, a Pix key`);
  }
  const recurrence = findPixTemplate(fields, "80", "99");
  const recurrenceLocation = recurrence && required(`${recurrence}-25`, LOCATION);
  if (!pixKey && !location && !recurrenceLocation) {
    return refuse(account, say`must have a Pix key (01) or a location (25), but has neither`);
  }
  // Not stricter: the central bank's own example has a hyphen.
  const txid = required("62-05", [/^[!-~]{1,25}$/, say`*** or 1 to 25 letters and digits`]);
  const amount = optional("54", AMOUNT);
  const withdrawal = optional(`${account}-03`, [/^[\dA-Z]{8}$/, say`an ISPB of 8 characters`]);
  if (amount !== undefined && Number(amount) === 0 && withdrawal === undefined) {
    const zero = quote(amount);
    refuse(
      "54",
      say`(amount) must be more than 0, or absent if the payer chooses it, but is ${zero}`,
    );
  }
  return {
    kind: location ? "dynamic" : pixKey ? "static" : "recurrence",
    pixKey,
    location,
    description: optional(`${account}-02`, [/^.{1,72}$/su, say`1 to 72 characters`]),
    amount,
    merchantName: required("59", NAME),
    merchantCity: required("60", CITY),
    txid: txid === "***" ? undefined : txid,
    recurrenceLocation,
  };
}

function assertKey(id: string, key: string): void {
  if (isDirectoryKey(key)) return;
  const wrong = say`(${nameOf(id)}) must be ${KEY_FORMS}, but is ${quote(key)}`;
  const meant = toDirectoryKey(key);
  refuse(
    id,
    meant === undefined ? wrong : say`${wrong}; ${JSON.stringify(meant)} is probably meant`,
  );
}

function toField(id: string, value: string): string {
  return `${id}${String(value.length).padStart(2, "0")}${value}`;
}

function toWritable(id: string, [shape, expected]: Rule, value: string): string {
  if (shape.test(value) && !/[^ -~]/.test(value)) return value;
  throw new RangeError(
    `The ${english(nameOf(id))} of a BR Code must be ${english(expected)}, all ASCII, but is ${english(quote(value))}.`,
  );
}

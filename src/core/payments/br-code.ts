import { LocalizedError } from "../errors.ts";
import type { LocalizedText } from "../localized-text.ts";

/** The content of a BR Code, with the field of each member. */
export interface BrCode {
  /** What the code refers to: a PIX key, a charge's location, or only a recurrence's location. */
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
  /** 25 of a template 80 to 99, for PIX Automático. */
  readonly recurrenceLocation?: string | undefined;
}

/** A text that is not a BR Code; `field` is the invalid one, such as "63" or "26-25", or "code" for the whole. */
export class BrCodeError extends LocalizedError {
  override readonly name: string = "BrCodeError";
  readonly field: string;

  constructor(field: string, text: LocalizedText) {
    super(text);
    this.field = field;
  }
}

/** A term that is the same in each language. */
function same(text: string): LocalizedText {
  return { en: text, pt: text };
}

type Fields = Map<string, string>;
type Rule = readonly [name: LocalizedText, shape: RegExp, expected: LocalizedText];

const PIX = "br.gov.bcb.pix";
const MAX_LENGTH = 512; // of `pixCopiaECola` in the central bank's API

// A template has 99 characters; the arrangement's name leaves 77.
const LOCATION_SHAPE = /^(?=.{1,77}$)(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?\/[!-~]*$/i;
const LOCATION: Rule = [
  same("location"),
  LOCATION_SHAPE,
  {
    en: "host/path, no https://, up to 77 characters",
    pt: "host/caminho, sem https://, até 77 caracteres",
  },
];
const NAME: Rule = [
  { en: "merchant name", pt: "nome do lojista" },
  /^.{1,25}$/su,
  { en: "1 to 25 characters", pt: "1 a 25 caracteres" },
];
const CITY: Rule = [
  { en: "merchant city", pt: "cidade do lojista" },
  /^.{1,15}$/su,
  { en: "1 to 15 characters", pt: "1 a 15 caracteres" },
];

/**
 * Writes a dynamic BR Code without an amount: the payer reads the amount from the location.
 * @throws RangeError if a value does not fit its field; `toBrCodeText` makes names fit.
 */
export function writeBrCode(draft: {
  readonly location: string;
  readonly merchantName: string;
  readonly merchantCity: string;
}): string {
  const url = toField("25", toWritable(LOCATION, draft.location));
  const name = toField("59", toWritable(NAME, draft.merchantName));
  const city = toField("60", toWritable(CITY, draft.merchantCity));
  const start = `000201010212${toField("26", `0014${PIX}${url}`)}5204000053039865802BR`;
  // The location serves the charge's txid; 62-05 is too short for it.
  const text = `${start}${name}${city}62070503***6304`;
  return text + toHex(crc16(text));
}

/**
 * Creates a writer of codes that differ only in the last part of their location, such as a charge's id.
 * The common part is written, checked and hashed once for each length of the last part.
 */
export function createBrCodeWriter(draft: {
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
    const crc = toHex(crc16(after, crc16(id, crcBefore)));
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

/**
 * Reads a static or dynamic PIX BR Code, including variations that providers use.
 * @throws BrCodeError
 */
export function readBrCode(text: string): BrCode {
  assertCrc(text); // first: one changed character can make any other field look wrong
  const fields = readFields(text);
  const optional = (id: string, [name, shape, expected]: Rule): string | undefined => {
    const value = fields.get(id);
    if (value === undefined || shape.test(value)) return value;
    return refuse(id, {
      en: `(${name.en}) must be ${expected.en}, but is ${quote(value).en}`,
      pt: `(${name.pt}) deve ser ${expected.pt}, mas é ${quote(value).pt}`,
    });
  };
  const required = (id: string, rule: Rule): string =>
    optional(id, rule) ??
    refuse(id, {
      en: `(${rule[0].en}) must be ${rule[2].en}, but is missing`,
      pt: `(${rule[0].pt}) deve ser ${rule[2].pt}, mas falta`,
    });

  required("00", [{ en: "payload format", pt: "formato do payload" }, /^01$/, same("01")]);
  optional("01", [
    { en: "point of initiation", pt: "ponto de iniciação" },
    /^1[12]$/,
    { en: "11 or 12", pt: "11 ou 12" },
  ]);
  required("52", [
    { en: "merchant category", pt: "categoria do lojista" },
    /^\d{4}$/,
    { en: "four digits", pt: "quatro dígitos" },
  ]);
  required("53", [
    { en: "currency", pt: "moeda" },
    /^986$/,
    { en: "986, the real", pt: "986, o real" },
  ]);
  required("58", [{ en: "country", pt: "país" }, /^BR$/, same("BR")]);

  const account = findPixTemplate(fields, "26", "51");
  if (!account)
    return refuse("26-00", {
      en: `must be ${PIX}, here or in a template up to 51`,
      pt: `deve ser ${PIX}, aqui ou em um template até 51`,
    });
  const pixKey = optional(`${account}-01`, [
    { en: "PIX key", pt: "chave PIX" },
    /^.{1,77}$/su,
    { en: "1 to 77 characters", pt: "1 a 77 caracteres" },
  ]);
  const location = optional(`${account}-25`, LOCATION);
  if (pixKey !== undefined && location !== undefined) {
    return refuse(`${account}-25`, {
      en: `(location) must be absent beside ${account}-01, a PIX key`,
      pt: `(location) não pode estar ao lado de ${account}-01, uma chave PIX`,
    });
  }
  const recurrence = findPixTemplate(fields, "80", "99");
  const recurrenceLocation = recurrence && required(`${recurrence}-25`, LOCATION);
  if (!pixKey && !location && !recurrenceLocation) {
    return refuse(account, {
      en: "must have a PIX key (01) or a location (25), but has neither",
      pt: "deve ter uma chave PIX (01) ou uma location (25), mas não tem nenhuma",
    });
  }
  // Not stricter: the central bank's own example has a hyphen.
  const txid = required("62-05", [
    same("txid"),
    /^[!-~]{1,25}$/,
    { en: "*** or 1 to 25 letters and digits", pt: "*** ou 1 a 25 letras e dígitos" },
  ]);
  return {
    kind: location ? "dynamic" : pixKey ? "static" : "recurrence",
    pixKey,
    location,
    description: optional(`${account}-02`, [
      { en: "description", pt: "descrição" },
      /^.{1,72}$/su,
      { en: "1 to 72 characters", pt: "1 a 72 caracteres" },
    ]),
    amount: optional("54", [
      { en: "amount", pt: "valor" },
      /^(?:0|\d{1,10}\.\d\d)$/,
      { en: "in reais, such as 10.50", pt: "em reais, como 10.50" },
    ]),
    merchantName: required("59", NAME),
    merchantCity: required("60", CITY),
    txid: txid === "***" ? undefined : txid,
    recurrenceLocation,
  };
}

const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0);
  return crc;
});

/**
 * CRC-16/CCITT-FALSE of a text's UTF-8 bytes; the CRC of "123456789" is 0x29B1.
 * @param before the CRC of the text before this one, if any
 */
export function crc16(text: string, before = 0xffff): number {
  let crc = before;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return new TextEncoder().encode(text).reduce(addToCrc, before);
    crc = addToCrc(crc, code);
  }
  return crc;
}

function addToCrc(crc: number, byte: number): number {
  return ((crc << 8) & 0xffff) ^ (CRC_TABLE[(crc >>> 8) ^ byte] ?? 0);
}

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).toUpperCase().padStart(2, "0"),
);

function toHex(crc: number): string {
  return `${HEX_BYTES[crc >>> 8]}${HEX_BYTES[crc & 0xff]}`;
}

function toField(id: string, value: string): string {
  return `${id}${String(value.length).padStart(2, "0")}${value}`;
}

function toWritable([name, shape, expected]: Rule, value: string): string {
  if (shape.test(value) && !/[^ -~]/.test(value)) return value;
  throw new RangeError(
    `The ${name.en} of a BR Code must be ${expected.en}, all ASCII, but is ${quote(value).en}.`,
  );
}

function assertCrc(text: string): void {
  if (text.length > MAX_LENGTH) {
    throw new BrCodeError("code", {
      en: `A BR Code has up to ${MAX_LENGTH} characters, but this has ${text.length}.`,
      pt: `Um BR Code tem até ${MAX_LENGTH} caracteres, mas este tem ${text.length}.`,
    });
  }
  const [head, found] = [text.slice(-8, -4), text.slice(-4)];
  if (head !== "6304") {
    refuse("63", {
      en: `(CRC) must end the code as "6304" and 4 digits, not ${quote(head + found).en}`,
      pt: `(CRC) deve terminar o código com "6304" e 4 dígitos, não ${quote(head + found).pt}`,
    });
  }
  const expected = toHex(crc16(text.slice(0, -4)));
  if (found !== expected) {
    refuse("63", {
      en: `(CRC) must be "${expected}", but is ${quote(found).en}`,
      pt: `(CRC) deve ser "${expected}", mas é ${quote(found).pt}`,
    });
  }
}

/** Every field by its id; a field inside a template as "26-25". */
function readFields(text: string, parent = "", fields: Fields = new Map()): Fields {
  const characters = Array.from(text); // lengths count characters, which can be two code units
  let id = parent;
  for (let index = 0; index < characters.length;) {
    const head = characters.slice(index, index + 4).join("");
    if (!/^\d{4}$/.test(head)) {
      refuse(id || "00", {
        en: `must ${index ? "be followed by" : "begin with"} the id and length of a field, not ${quote(head).en}`,
        pt: `deve ${index ? "ser seguido do" : "começar com o"} id e tamanho de um campo, não de ${quote(head).pt}`,
      });
    }
    const length = Number(head.slice(2));
    const value = characters.slice(index + 4, index + 4 + length);
    id = (parent && `${parent}-`) + head.slice(0, 2);
    if (index === 0 && !parent && id !== "00") {
      const pt = `deve vir primeiro, mas quem vem é ${id}`;
      refuse("00", { en: `must come first, but ${id} does`, pt });
    }
    if (fields.has(id)) refuse(id, { en: "appears twice", pt: "aparece duas vezes" });
    if (value.length < length) {
      const whole = parent
        ? { en: `field ${parent} (99 at most)`, pt: `o campo ${parent} (99 no máximo)` }
        : { en: "the code", pt: "o código" };
      refuse(id, {
        en: `announces ${length} characters, but ${whole.en} ends after ${value.length} of them`,
        pt: `anuncia ${length} caracteres, mas ${whole.pt} termina depois de ${value.length} deles`,
      });
    }
    fields.set(id, value.join(""));
    if (/^(?:2[6-9]|[34]\d|5[01]|62|[89]\d)$/.test(id)) readFields(value.join(""), id, fields);
    index += 4 + length;
  }
  if (!parent && id !== "63") {
    const pt = `(CRC) deve vir por último, mas quem vem é ${id}`;
    refuse("63", { en: `(CRC) must come last, but ${id} does`, pt });
  }
  return fields;
}

function findPixTemplate(fields: Fields, first: string, last: string): string | undefined {
  const templates = Array.from(fields.keys(), (id) => id.slice(0, 2));
  return templates.find(
    (id) => id >= first && id <= last && fields.get(`${id}-00`)?.toLowerCase() === PIX,
  );
}

function refuse(field: string, reason: LocalizedText): never {
  throw new BrCodeError(field, {
    en: `Field ${field} ${reason.en}.`,
    pt: `O campo ${field} ${reason.pt}.`,
  });
}

function quote(value: string): LocalizedText {
  const [text, size] = [JSON.stringify(value), Array.from(value).length];
  return { en: `${text} (${size} characters)`, pt: `${text} (${size} caracteres)` };
}

import {
  type BrCodeDefect,
  countOfCharacters,
  defectOf,
  findDamage,
  quote,
} from "./br-code-damage.ts";
import { LOCATION, PIX } from "./br-code-writer.ts";
import { CPF_SHAPE, hasCpfCheckDigits, isDirectoryKey } from "./checks.ts";
import { type Message, say, verbatim } from "../../text/message.ts";

export { type BrCodeDefect, isLikeBrCode } from "./br-code-damage.ts";

/** A field as the standards define it: its name, its valid values, their description, and what one of them means. */
type FieldRow = readonly [
  name: Message,
  shape?: Pick<RegExp, "test"> | undefined,
  expected?: Message | undefined,
  note?: (value: string) => Message | false,
];

const HOST_AND_PATH = say`host/path, no https://, up to 77 characters`;
const KEY = say`a CPF or CNPJ without punctuation, an e-mail address in lower case, a phone number such as +5561912345678, or a random key in lower case with its dashes`;
const AMOUNT = /^\d{1,10}(?:\.\d{0,2})?$/; // EMV 4.7.4.1
const TXID = /^[!-~]{1,25}$/; // not stricter: the central bank's own example has a hyphen
const WORDS = say`*** or 1 to 25 letters and digits`;
const upTo = (length: number) =>
  [new RegExp(`^\\P{Cc}{1,${length}}$`, "u"), say`1 to ${length} printable characters`] as const;

const uses = (id: string) => (id === "11" ? say`can be paid several times` : say`for one payment`);
const notCpf = (key: string) =>
  CPF_SHAPE.test(key) &&
  !hasCpfCheckDigits(key) &&
  say`no valid CPF; a phone number begins with +55`;
const decimals = (reais: string) =>
  /\.\d\d$/.test(reais)
    ? verbatim("BRL")
    : say`BRL; some banks require two decimals: ${Number(reais).toFixed(2)}`;
const letters = (txid: string) =>
  txid === "***"
    ? say`none`
    : /[^\dA-Za-z]/.test(txid) && say`some banks accept only letters and digits`;

/** All fields of Pix. Its templates from 26 to 51 have the fields of 26, and those from 80 on the fields of 80. */
const FIELDS: Readonly<Record<string, FieldRow>> = {
  "00": [say`payload format`, /^01$/, verbatim("01")],
  "01": [say`point of initiation`, /^1[12]$/, say`11 or 12`, uses],
  "26": [say`merchant account`],
  "26-00": [say`arrangement`, /^br\.gov\.bcb\.pix$/i, verbatim(PIX)],
  "26-01": [say`Pix key`, { test: isDirectoryKey }, KEY, notCpf],
  "26-02": [say`description`, ...upTo(72)],
  "26-03": [say`withdrawal provider`, /^[\dA-Z]{8}$/, say`an ISPB of 8 characters`],
  "26-25": [verbatim("location"), LOCATION, HOST_AND_PATH],
  "52": [
    say`merchant category`,
    /^\d{4}$/,
    say`four digits`,
    (mcc) => mcc === "0000" && say`not given`,
  ],
  "53": [say`currency`, /^986$/, say`986, the real`, () => say`BRL, the real`],
  "54": [say`amount`, AMOUNT, say`in reais, such as 10.50`, decimals],
  "58": [say`country`, /^BR$/, verbatim("BR")],
  "59": [say`merchant name`, ...upTo(25)],
  "60": [say`merchant city`, ...upTo(15)],
  "61": [say`postal code`],
  "62": [say`additional data`],
  "62-05": [verbatim("txid"), TXID, WORDS, letters],
  "63": [verbatim("CRC"), undefined, undefined, () => say`correct`],
  "80": [say`further template`],
  "80-00": [say`arrangement`],
  "80-25": [say`recurrence location`, LOCATION, HOST_AND_PATH],
};
const REQUIRED = ["52", "53", "58", "59", "60", "62-05"];
const isTemplate = (id: string): boolean => /^(?:2[6-9]|[34]\d|5[01]|62|[89]\d)$/.test(id);

/** The value is undefined for a required field that is missing. */
interface Field {
  /** Such as "59", or "26-25" for a field inside a template. */
  readonly id: string;
  readonly value?: string | undefined;
}

/** What a text says as a BR Code, or why it is none. */
export type BrCode = ReturnType<typeof readBrCode>;
export type ExplainedField = BrCode["fields"][number];

/** Reads a text that is a Pix BR Code, or should be one. Variations that providers use are valid. */
export function readBrCode(text: string) {
  const damage = findDamage(text); // first: one changed character can make any other field look wrong
  const { fields, defect: unreadable } = parse(damage?.mended ?? text);
  const values: Values = new Map(fields.toReversed().map(({ id, value = "" }) => [id, value]));
  const defect = damage ?? unreadable ?? findInvalid(fields, values);
  const { field: wrong = "code" } = defect ?? {};
  const isShown = wrong === "code" || values.has(wrong);
  const account = templateOfPix(fields, "26", "51");
  const location = defect ? undefined : values.get(`${account}-25`);
  const other = values.has(`${account}-01`) ? ("static" as const) : ("recurrence" as const);
  return {
    /** In the order of the code, or of the mended one; of a malformed code those that can be read and the wrong one. */
    fields: [...fields, ...(isShown ? [] : [{ id: wrong }])].map((field) =>
      explain(field, values, wrong),
    ),
    /** Undefined for a valid code. */
    defect,
    /** What a valid code refers to: a Pix key, a charge's location, or only a recurrence's location. */
    kind: location ? ("dynamic" as const) : other,
    /** 26-25 of a valid code: an https address without its scheme. */
    location,
    /** 59. */
    merchantName: values.get("59"),
  };
}

/** The values by their ids: of two with one id, the first. */
type Values = ReadonlyMap<string, string>;

/** The definition of a field such as "59" or "51-25"; the name says so if Pix has none. */
function rowOf(id: string, values: Values): FieldRow {
  const template = id.slice(0, 2);
  const isOfPix = (values.get(`${template}-00`) ?? PIX).toLowerCase() === PIX;
  const base =
    template === "62" || !isTemplate(template) ? template : template < "80" ? "26" : "80";
  return (isOfPix && FIELDS[base + id.slice(2)]) || [say`not defined by Pix`];
}

function explain({ id, value }: Field, values: Values, wrong: string) {
  const [name, , , toNote] = rowOf(id, values);
  const hasNote = value !== undefined && !isTemplate(id) && id !== wrong;
  const refused = id.endsWith("-25") ? null : value?.match(/[^\0-~]|&/gu);
  const caution = refused && say`some banks refuse ${[...new Set(refused)].join(" ")}`;
  return {
    id,
    name,
    value,
    /** The meaning of the value, if it is not obvious. */
    note: (hasNote && (toNote?.(value) || caution)) || undefined,
    /** Whether other fields are inside its value. */
    isTemplate: isTemplate(id),
  };
}

/** The first rule that readable fields break. */
function findInvalid(fields: readonly Field[], values: Values): BrCodeDefect | undefined {
  const first = fields[0]?.id ?? "";
  if (first !== "00") return defectOf("00", say`must come first, but ${first} does`);
  const account = templateOfPix(fields, "26", "51");
  const recurrence = templateOfPix(fields, "80", "99");
  if (!account) return defectOf("26-00", say`must be ${PIX}, here or in a template up to 51`);
  const required = recurrence ? [...REQUIRED, `${recurrence}-25`] : REQUIRED;
  const missing = required.filter((id) => !values.has(id)).map((id): Field => ({ id }));
  for (const { id, value } of [...fields, ...missing]) {
    if (fields.filter((field) => field.id === id).length > 1)
      return defectOf(id, say`appears twice`);
    const [name, shape, expected = ""] = rowOf(id, values);
    if (value === undefined)
      return defectOf(id, say`(${name}) must be ${expected}, but is missing`);
    if (shape?.test(value) === false)
      return defectOf(id, say`(${name}) must be ${expected}, but is ${quote(value)}`);
  }
  const [hasKey, hasLocation] = [values.has(`${account}-01`), values.has(`${account}-25`)];
  const both = say`(location) must be absent beside ${account}-01, a Pix key`;
  if (hasKey && hasLocation) return defectOf(`${account}-25`, both);
  if (!hasKey && !hasLocation && !recurrence)
    return defectOf(account, say`must have a Pix key (01) or a location (25), but has neither`);
  const reais = values.get("54") ?? "1";
  if (Number(reais) > 0 || values.has(`${account}-03`)) return undefined;
  const wrong = say`(amount) must be more than 0, or absent if the payer chooses it, but is ${quote(reais)}`;
  return defectOf("54", wrong);
}

/** The first template of Pix among those with these ids. */
function templateOfPix(fields: readonly Field[], first: string, last: string): string | undefined {
  const isPix = ({ id, value = "" }: Field): boolean =>
    id >= first && id <= `${last}-99` && id.endsWith("-00") && value.toLowerCase() === PIX;
  return fields.find(isPix)?.id.slice(0, 2);
}

/** Reads the fields of any text. If they cannot be read, the one that another order follows has a wrong length. */
function parse(text: string) {
  const fields: Field[] = [];
  let unordered: { fields: Field[]; defect: BrCodeDefect } | undefined;
  const read = (part: string, parent: string): BrCodeDefect | undefined => {
    const characters = Array.from(part); // lengths count characters, which can be two code units
    let [id, length, value] = [parent || "00", characters.length, ""];
    const fail = (reason: Message): BrCodeDefect => {
      const name = rowOf(id, new Map())[0];
      const wrong = say`(${name}) announces ${countOfCharacters(length)}, but ${reason}`;
      const hint = say`${wrong}; an accented letter or an emoji is one character`;
      return defectOf(id, /[^\0-~]/.test(value) ? hint : wrong);
    };
    for (let at = 0; at < characters.length; at += 4 + length) {
      const head = characters.slice(at, at + 4).join("");
      const next = (parent && `${parent}-`) + head.slice(0, 2);
      const wrong = fail(say`no other field follows them, but ${quote(head)}`);
      if (!/^\d{4}$/.test(head)) return wrong;
      if (at > 0 && next <= id) unordered ??= { fields: [...fields], defect: wrong };
      [id, length] = [next, Number(head.slice(2))];
      const following = characters.slice(at + 4);
      value = following.slice(0, length).join("");
      if (/^\d0014br/i.test(value))
        return fail(say`its length has three digits: shorten the fields in it`);
      if (following.length < length) return fail(say`only ${following.length} follow`);
      fields.push({ id, value });
      const inside = isTemplate(id) && read(value, id);
      if (inside) return inside;
    }
    return parent || id === "63" ? undefined : fail(say`the CRC must follow as field 63`);
  };
  const defect = read(text, "");
  return (defect && unordered) ?? { fields, defect };
}

import {
  type BrCodeDefect,
  countOfCharacters,
  crcOf,
  defectOf,
  findDamage,
  PIX,
  quote,
} from "./br-code-damage.ts";
import { CPF_SHAPE, hasCpfCheckDigits, isDirectoryKey, toDirectoryKey } from "./checks.ts";
import { type Message, say, verbatim } from "../../text/message.ts";

export { type BrCodeDefect, isLikeBrCode } from "./br-code-damage.ts";

/** What a valid value means, or that some banks refuse it. */
type Note = (value: string) => Message | false;

/** A field as the standards define it: its name, its valid values and their description for messages. */
type FieldRow = readonly [
  name: Message,
  shape?: Pick<RegExp, "test"> | undefined,
  expected?: Message | undefined,
  note?: Note,
];

// A template has 99 characters; the arrangement's name leaves 77.
const LOCATION = /^(?=.{1,77}$)(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?\/[!-~]*$/i;
const HOST_AND_PATH = say`host/path, no https://, up to 77 characters`;
const KEY = say`a CPF or CNPJ without punctuation, an e-mail address in lower case, a phone number such as +5561912345678, or a random key in lower case with its dashes`;
const AMOUNT = /^\d{1,10}(?:\.\d{0,2})?$/; // EMV 4.7.4.1
const TXID = /^[!-~]{1,25}$/; // not stricter: the central bank's own example has a hyphen
const WORDS = say`*** or 1 to 25 letters and digits`;
const upTo = (length: number) =>
  [new RegExp(`^.{1,${length}}$`, "su"), say`1 to ${length} characters`] as const;

const uses: Note = (id) => (id === "11" ? say`can be paid several times` : say`for one payment`);
const notCpf: Note = (key) =>
  CPF_SHAPE.test(key) &&
  !hasCpfCheckDigits(key) &&
  say`no valid CPF; a phone number begins with +55`;
const notGiven: Note = (category) => category === "0000" && say`not given`;
const decimals: Note = (reais) => {
  if (/\.\d\d$/.test(reais)) return verbatim("BRL");
  return say`BRL; some banks require two decimals: ${Number(reais).toFixed(2)}`;
};
const letters: Note = (txid) => {
  if (txid === "***") return say`none`;
  return /[^\dA-Za-z]/.test(txid) && say`some banks accept only letters and digits`;
};

/** All fields of Pix. Templates 27 to 51 have the fields of 26, and those up to 99 the fields of 80. */
const FIELDS: Readonly<Record<string, FieldRow>> = {
  "00": [say`payload format`, /^01$/, verbatim("01")],
  "01": [say`point of initiation`, /^1[12]$/, say`11 or 12`, uses],
  "26": [say`merchant account`],
  "26-00": [say`arrangement`, /^br\.gov\.bcb\.pix$/i, verbatim(PIX)],
  "26-01": [say`Pix key`, { test: isDirectoryKey }, KEY, notCpf],
  "26-02": [say`description`, ...upTo(72)],
  "26-03": [say`withdrawal provider`, /^[\dA-Z]{8}$/, say`an ISPB of 8 characters`],
  "26-25": [verbatim("location"), LOCATION, HOST_AND_PATH],
  "52": [say`merchant category`, /^\d{4}$/, say`four digits`, notGiven],
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
/** The ids of all fields in the order of a code. */
const IDS = Object.keys(FIELDS).toSorted();
const REQUIRED = new Set(["00", "52", "53", "58", "59", "60", "62-05", "80-25"]);

/** The definition of a field such as "59" or "51-25"; the name says so if Pix has none. */
function rowOf(id: string): FieldRow {
  const template = id >= "80" ? "80" : id >= "26" && id < "52" ? "26" : id.slice(0, 2);
  return FIELDS[template + id.slice(2)] ?? [say`not defined by Pix`];
}

/** The part of BR Codes that does not depend on the charge. */
export interface BrCodeSettings {
  /** Host and optional path of the charges' locations. The host cannot exist, so that no code can be paid for real. */
  readonly locationBase: string;
  /** The merchant's city. */
  readonly city: string;
}

const toField = (id: string, value: string): string =>
  id + String(value.length).padStart(2, "0") + value;
const ANY_ID = "0".repeat(32);

/** Whether locations below a host and path fit into BR Codes. */
export function fitsBrCode(locationBase: string): boolean {
  return LOCATION.test(`${locationBase}/qr/v2/${ANY_ID}`);
}

/** Writes the BR Codes of charges: dynamic and without an amount, which the payer reads from the location. */
export function createBrCodes({ locationBase, city }: BrCodeSettings) {
  const base = `${locationBase}/qr/v2/`;
  const account = toField("26", toField("00", PIX) + toField("25", base + ANY_ID)).slice(0, -32);
  const place = toField("60", toBrCodeText(city, 15, "SAO PAULO"));
  const merchants = new Map<string, string>();
  return {
    /** Whether a location is below the address of these charges. */
    isOwn: (location: string): boolean => location.startsWith(base),
    /**
     * @param pixId the charge's id: 32 characters. The location has it: field 62-05 is too short.
     * @param provider the merchant's name as the call sent it: any text
     */
    write(pixId: string, provider: string): string {
      let name = merchants.get(provider);
      if (name === undefined) {
        if (merchants.size >= 100) merchants.clear(); // new names must not fill the memory
        name = toField("59", toBrCodeText(provider, 25, "PIX SANDBOX"));
        merchants.set(provider, name);
      }
      const text = `000201010212${account}${pixId}5204000053039865802BR${name}${place}62070503***6304`;
      return text + crcOf(text);
    },
  };
}

/**
 * Folds a text to the characters that fields 59 and 60 allow, cut at `maxLength`; `fallback` if nothing is left.
 * Banks refuse accents and `&` ("Esperado ANS"). Letters, digits, blanks, `.`, `-` and `_` stay, since banks
 * accept codes with them; other punctuation becomes a blank.
 */
export function toBrCodeText(text: string, maxLength: number, fallback: string): string {
  const ascii = text.normalize("NFKD").replace(/[^\s!-~]/g, "");
  const folded = ascii.replace(/[^\w.-]+/g, " ");
  return folded.trim().slice(0, maxLength).trimEnd() || fallback;
}

/** Whether a city's name has any character that field 60 allows. */
export function isCity(text: string): boolean {
  return toBrCodeText(text, 15, "") !== "";
}

/** One field of a code, for people. */
export interface ExplainedField extends Field {
  readonly name: Message;
  /** The meaning of the value, if it is not obvious. */
  readonly note: Message | undefined;
  /** Whether other fields are inside its value. */
  readonly isTemplate: boolean;
}

interface Field {
  /** Such as "59", or "26-25" for a field inside a template. */
  readonly id: string;
  /** Undefined for a required field that is missing. */
  readonly value?: string | undefined;
}

/** What a text says as a BR Code, or why it is none. */
export type BrCode = ReturnType<typeof readBrCode>;

/** Reads a text that is a Pix BR Code, or should be one. Variations that providers use are valid. */
export function readBrCode(text: string) {
  const damage = findDamage(text); // first: one changed character can make any other field look wrong
  const { fields, defect: unreadable } = parse(damage?.mended ?? text);
  const defect = damage ?? unreadable ?? findInvalid(fields);
  const { field: wrong = "code" } = defect ?? {};
  const isMissing = wrong !== "code" && !fields.some(({ id }) => id === wrong);
  const shown: readonly Field[] = isMissing ? [...fields, { id: wrong }] : fields;
  const values = toValues(defect ? [] : fields);
  const account = pixTemplate(values, "26");
  const location = values.get(`${account}-25`);
  const other = values.has(`${account}-01`) ? ("static" as const) : ("recurrence" as const);
  return {
    /** In the order of the code, or of the mended one; of a malformed code those that can be read and the wrong one. */
    fields: shown.map((field) => explain(field, fields, wrong)),
    /** Undefined for a valid code. */
    defect,
    /** What a valid code refers to: a Pix key, a charge's location, or only a recurrence's location. */
    kind: location ? ("dynamic" as const) : other,
    /** 26-25 of a valid code: an https address without its scheme. */
    location,
    /** 59 of a valid code. */
    merchantName: values.get("59"),
  };
}

function explain({ id, value }: Field, fields: readonly Field[], wrong: string): ExplainedField {
  const isTemplate = fields.some((field) => field.id.startsWith(`${id}-`));
  const arrangement = toValues(fields).get(`${id.slice(0, 2)}-00`) ?? PIX;
  const isForeign = arrangement.toLowerCase() !== PIX; // beside the template of Pix
  const [defined, , , toNote] = rowOf(id);
  const name = isForeign ? say`of another arrangement` : defined;
  if (value === undefined || isTemplate || id === wrong)
    return { id, name, value, note: undefined, isTemplate };
  const refused = id.endsWith("-25") ? [] : [...new Set(value.match(/[^\0-~]|&/gu))];
  const caution = refused.length > 0 && say`some banks refuse ${refused.join(" ")}`;
  return { id, name, value, note: toNote?.(value) || caution || undefined, isTemplate };
}

/** The first rule that readable fields break. */
function findInvalid(fields: readonly Field[]): BrCodeDefect | undefined {
  const values = toValues(fields);
  const first = fields[0]?.id ?? "";
  if (first !== "00") return defectOf("00", say`must come first, but ${first} does`);
  for (const { id, value = "" } of fields) {
    if (fields.filter((field) => field.id === id).length > 1)
      return defectOf(id, say`appears twice`);
    if (hasFields(id) || !/\p{Cc}/u.test(value)) continue;
    const wrong = say`(${rowOf(id)[0]}) must not have control characters, but is ${quote(value)}`;
    return defectOf(id, wrong);
  }
  const [account, recurrence] = [pixTemplate(values, "26"), pixTemplate(values, "80")];
  if (!account) return defectOf("26-00", say`must be ${PIX}, here or in a template up to 51`);
  for (const row of IDS) {
    const id = row.replace(/^26/, account).replace(/^80/, recurrence ?? "80");
    const [name, shape, expected] = rowOf(row);
    const value = values.get(id);
    if (!shape || !expected || (row.startsWith("80") && !recurrence)) continue;
    if (value === undefined ? !REQUIRED.has(row) : shape.test(value)) continue;
    if (value === undefined)
      return defectOf(id, say`(${name}) must be ${expected}, but is missing`);
    const wrong = say`(${name}) must be ${expected}, but is ${quote(value)}`;
    const meant = row === "26-01" && toDirectoryKey(value);
    return defectOf(id, meant ? say`${wrong}; ${JSON.stringify(meant)} is probably meant` : wrong);
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

/** The first template of Pix from 26 to 51, or from 80 to 99. */
function pixTemplate(values: ReadonlyMap<string, string>, first: "26" | "80"): string | undefined {
  const isPix = ([id, value]: readonly [string, string]): boolean =>
    id.endsWith("-00") && value.toLowerCase() === PIX && (first === "80") === id >= "80";
  return [...values].findLast(isPix)?.[0].slice(0, 2);
}

/** The values by their ids: of two with one id, the first. The last field comes first. */
function toValues(fields: readonly Field[]): ReadonlyMap<string, string> {
  return new Map(fields.toReversed().map(({ id, value = "" }) => [id, value]));
}

function hasFields(id: string): boolean {
  return /^(?:2[6-9]|[34]\d|5[01]|62|[89]\d)$/.test(id);
}

/** Reads the fields of any text. If they cannot be read, the one that another order follows has a wrong length. */
function parse(text: string) {
  const fields: Field[] = [];
  let unordered: { fields: Field[]; defect: BrCodeDefect } | undefined;
  const read = (part: string, parent: string): BrCodeDefect | undefined => {
    const characters = Array.from(part); // lengths count characters, which can be two code units
    let [id, length, value] = [parent || "00", characters.length, ""];
    const fail = (reason: Message): BrCodeDefect => {
      const hint = say`${reason}; an accented letter or an emoji is one character`;
      const cause = /^[\0-~]*$/.test(value) ? reason : hint;
      const announced = countOfCharacters(length);
      return defectOf(id, say`(${rowOf(id)[0]}) announces ${announced}, but ${cause}`);
    };
    for (let at = 0; at < characters.length; at += 4 + length) {
      const head = characters.slice(at, at + 4).join("");
      const next = (parent && `${parent}-`) + head.slice(0, 2);
      const wrong = fail(say`no other field follows them, but ${quote(head)}`);
      if (!/^\d{4}$/.test(head)) return wrong;
      if (at > 0 && next <= id) unordered ??= { fields: [...fields], defect: wrong };
      [id, length] = [next, Number(head.slice(2))];
      const following = characters.slice(at + 4, at + 4 + 99);
      if (/^\d0014br\.gov/i.test(following.slice(0, 11).join("")))
        return fail(say`its length has three digits: shorten the fields in it`);
      value = following.slice(0, length).join("");
      const whole = parent ? say`field ${parent}` : say`the code`;
      const end = say`${whole} ends after ${following.length} of them`;
      if (following.length < length) return fail(end);
      fields.push({ id, value });
      const inside = hasFields(id) && read(value, id);
      if (inside) return inside;
    }
    return parent || id === "63" ? undefined : fail(say`the CRC must follow as field 63`);
  };
  const defect = read(text, "");
  return (defect && unordered) ?? { fields, defect };
}

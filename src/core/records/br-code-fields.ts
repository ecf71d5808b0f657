import { hasCpfCheckDigits, isCpfShape, isDirectoryKey } from "./checks.ts";
import { type Message, say, verbatim } from "../../text/message.ts";

/** The name of the arrangement in a template's field 00. */
export const PIX = "br.gov.bcb.pix";

/** One field as the standards define it. */
interface FieldRow {
  readonly name: Message;
  /** Which values are valid, and their description for a message. */
  readonly rule?: readonly [shape: Pick<RegExp, "test">, expected: Message];
  readonly isRequired?: boolean;
  /** The value in codes of this sandbox, if all have the same. */
  readonly own?: string;
  /** The meaning of a valid value, or that some banks refuse it. */
  readonly note?: (value: string) => Message | undefined;
}

// A template has 99 characters; the arrangement's name leaves 77.
const HOST_AND_PATH = /^(?=.{1,77}$)(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?\/[!-~]*$/i;
const LOCATION = [HOST_AND_PATH, say`host/path, no https://, up to 77 characters`] as const;
const ARRANGEMENT = [/^br\.gov\.bcb\.pix$/i, verbatim(PIX)] as const;
const KEY = [
  { test: isDirectoryKey },
  say`a CPF or CNPJ without punctuation, an e-mail address in lower case, a phone number such as +5561912345678, or a random key in lower case with its dashes`,
] as const;
const CATEGORY = [/^\d{4}$/, say`four digits`] as const;
const CURRENCY = [/^986$/, say`986, the real`] as const;
const NAME = [/^.{1,25}$/su, say`1 to 25 characters`] as const;
const CITY = [/^.{1,15}$/su, say`1 to 15 characters`] as const;
const AMOUNT = [/^\d{1,10}(?:\.\d{0,2})?$/, say`in reais, such as 10.50`] as const; // EMV 4.7.4.1
// Not stricter: the central bank's own example has a hyphen.
const TXID = [/^[!-~]{1,25}$/, say`*** or 1 to 25 letters and digits`] as const;
const isRequired = true;

/** All fields of Pix. Templates 27 to 51 have the fields of 26, and those up to 99 the fields of 80. */
export const FIELDS: Readonly<Record<string, FieldRow>> = {
  "00": { name: say`payload format`, rule: [/^01$/, verbatim("01")], isRequired, own: "01" },
  "01": { name: say`point of initiation`, rule: [/^1[12]$/, say`11 or 12`], own: "12", note: uses },
  "26": { name: say`merchant account` },
  "26-00": { name: say`arrangement`, rule: ARRANGEMENT, own: PIX },
  "26-01": { name: say`Pix key`, rule: KEY, note: cautionOfKey },
  "26-02": { name: say`description`, rule: [/^.{1,72}$/su, say`1 to 72 characters`] },
  "26-03": { name: say`withdrawal provider`, rule: [/^[\dA-Z]{8}$/, say`an ISPB of 8 characters`] },
  "26-25": { name: verbatim("location"), rule: LOCATION },
  "52": { name: say`merchant category`, rule: CATEGORY, isRequired, own: "0000", note: noCategory },
  "53": {
    name: say`currency`,
    rule: CURRENCY,
    isRequired,
    own: "986",
    note: () => say`BRL, the real`,
  },
  "54": { name: say`amount`, rule: AMOUNT, note: cautionOfAmount },
  "58": { name: say`country`, rule: [/^BR$/, verbatim("BR")], isRequired, own: "BR" },
  "59": { name: say`merchant name`, rule: NAME, isRequired },
  "60": { name: say`merchant city`, rule: CITY, isRequired },
  "61": { name: say`postal code` },
  "62": { name: say`additional data` },
  // The location serves the charge's txid; 62-05 is too short for it.
  "62-05": { name: verbatim("txid"), rule: TXID, isRequired, own: "***", note: cautionOfTxid },
  "63": { name: verbatim("CRC"), note: () => say`correct` },
  "80": { name: say`further template` },
  "80-00": { name: say`arrangement` },
  "80-25": { name: say`recurrence location`, rule: LOCATION, isRequired },
};

function noCategory(value: string): Message | undefined {
  return value === "0000" ? say`not given` : undefined;
}

function uses(value: string): Message {
  return value === "11" ? say`can be paid several times` : say`for one payment`;
}

function cautionOfKey(key: string): Message | undefined {
  const isWrong = isCpfShape(key) && !hasCpfCheckDigits(key);
  return isWrong ? say`no valid CPF; a phone number begins with +55` : undefined;
}

function cautionOfAmount(amount: string): Message | undefined {
  if (/\.\d\d$/.test(amount)) return verbatim("BRL");
  return say`BRL; some banks require two decimals: ${Number(amount).toFixed(2)}`;
}

function cautionOfTxid(txid: string): Message | undefined {
  if (txid === "***") return say`none`;
  return /[^\dA-Za-z]/.test(txid) ? say`some banks accept only letters and digits` : undefined;
}

/** The ids of all fields in the order of a code. */
export const IDS = Object.keys(FIELDS).toSorted();

/** The definition of a field such as "59" or "51-25"; undefined if Pix has none. */
export function rowOf(id: string): FieldRow | undefined {
  const template = id >= "80" ? "80" : id >= "26" && id < "52" ? "26" : id.slice(0, 2);
  return FIELDS[template + id.slice(2)];
}

/** The name of a field. */
export function nameOf(id: string): Message {
  return rowOf(id)?.name ?? say`not defined by Pix`;
}

/** Why a text is not a BR Code. */
export interface BrCodeDefect {
  /** The invalid field, such as "63" or "26-25", or "code" for the whole. */
  readonly field: string;
  readonly text: Message;
  /** What to do. Absent if the text has nothing of a code. */
  readonly advice?: Message;
  /** The code whose CRC is right, if only foreign characters made it wrong. */
  readonly mended?: string | undefined;
}

/** The defect of one field, by default of a code whose CRC is right. */
export function defectOf(
  field: string,
  reason: Message,
  advice = say`The CRC is right: the code is as its generator wrote it. Correct it there.`,
): BrCodeDefect {
  return { field, text: say`Field ${field} ${reason}.`, advice };
}

/** A number of characters, for a message. */
export function countOfCharacters(count: number): Message {
  return count === 1 ? say`1 character` : say`${count} characters`;
}

/** A value with its length, for a message. */
export function quote(value: string): Message {
  return say`${JSON.stringify(value)} (${countOfCharacters(Array.from(value).length)})`;
}

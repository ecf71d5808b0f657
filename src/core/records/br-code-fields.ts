import { LocalizedError } from "./errors.ts";
import { type Message, say, verbatim } from "../../text/message.ts";

/** A text that is not a BR Code; `field` is the invalid one, such as "63" or "26-25", or "code" for the whole. */
export class BrCodeError extends LocalizedError {
  override readonly name: string = "BrCodeError";
  readonly field: string;
  /** What to do. Absent if the text has nothing of a code. */
  readonly advice: Message | undefined;
  /** The code whose CRC is right, if only foreign characters made it wrong. */
  readonly mended: string | undefined;

  constructor(
    field: string,
    text: Message,
    { advice, mended }: { readonly advice?: Message; readonly mended?: string | undefined } = {},
  ) {
    super(text);
    this.field = field;
    this.advice = advice;
    this.mended = mended;
  }
}

export const MAX_LENGTH = 512; // of `pixCopiaECola` in the central bank's API

/** Whether a text is a BR Code, or a damaged one: it has the beginning of one, or the arrangement's name. */
export function isLikeBrCode(text: string): boolean {
  return text.startsWith("0002") || text.toLowerCase().includes(PIX);
}

/** The values of fields by their ids; a field inside a template as "26-25". */
export type Fields = Map<string, string>;

/** The name of the arrangement in a template's field 00. */
export const PIX = "br.gov.bcb.pix";

/** How many of the characters that follow belong to a field that announces so many. */
type Count = (id: string, announced: number, following: readonly string[]) => number;

/**
 * Reads every field of a text.
 * @param fields receives them, up to the first that is wrong
 * @returns the id of a field that appears twice
 * @throws BrCodeError
 */
function readFields(text: string, fields: Fields, countOf: Count, parent = ""): string | undefined {
  let twice: string | undefined;
  const characters = Array.from(text); // lengths count characters, which can be two code units
  let id = parent;
  for (let index = 0; index < characters.length;) {
    const head = characters.slice(index, index + 4).join("");
    if (!/^\d{4}$/.test(head)) {
      refuse(
        id || "00",
        index
          ? say`must be followed by the id and length of a field, not ${quote(head)}`
          : say`must begin with the id and length of a field, not ${quote(head)}`,
      );
    }
    const following = characters.slice(index + 4, index + 4 + 99);
    id = (parent && `${parent}-`) + head.slice(0, 2);
    const length = countOf(id, Number(head.slice(2)), following);
    const value = following.slice(0, length);
    if (index === 0 && !parent && id !== "00") {
      refuse("00", say`must come first, but ${id} does`);
    }
    const tooLong = /^\d0014br\.gov/i.exec(following.slice(0, 11).join("")); // behind two digits of a length with three
    if (tooLong) {
      const announced = countOfCharacters(Number(head.slice(2) + tooLong[0].charAt(0)));
      const reason = say`announces ${announced}, but can have 99 at most: shorten the fields in it`;
      refuse(id, say`(${nameOf(id)}) ${reason}`);
    }
    if (value.length < length) {
      const whole = parent ? say`field ${parent} (99 at most)` : say`the code`;
      const announced = countOfCharacters(length);
      refuse(id, say`announces ${announced}, but ${whole} ends after ${value.length} of them`);
    }
    if (fields.has(id)) twice ??= id;
    else {
      fields.set(id, value.join(""));
      if (isTemplate(id)) twice ??= readFields(value.join(""), fields, countOf, id);
    }
    index += 4 + length;
  }
  if (!parent && id !== "63") {
    refuse("63", say`(CRC) must come last, but ${id} does`);
  }
  return twice;
}

/** Whether a field has fields inside. */
export function isTemplate(id: string): boolean {
  return /^(?:2[6-9]|[34]\d|5[01]|62|[89]\d)$/.test(id);
}

interface Reading {
  /** Up to the first that is wrong; all of them if only a length is wrong, or one appears twice. */
  readonly fields: Fields;
  readonly error?: BrCodeError | undefined;
}

/** Reads the fields of any text. Names the field whose length is wrong if that is what makes others unreadable. */
export function readAnyFields(text: string): Reading {
  const { fields, error, twice } = tryFields(text, (_id, announced) => announced);
  if (twice !== undefined) return { fields, error: refusal(twice, say`appears twice`) };
  if (!error) return { fields };
  const read = [error.field, ...[...fields.keys()].toReversed()]; // the nearest first
  const ids = read.filter((id) => id !== "63").slice(0, MAX_TRIED);
  return readInBytes(text) ?? readWithOtherLength(text, ids) ?? { fields, error };
}

/** A text with hundreds of fields must not cost a second. */
const MAX_TRIED = 10;

function readInBytes(text: string): Reading | undefined {
  const counted = new Map<string, number>();
  const { fields, error } = tryFields(text, (id, announced, following) => {
    let [count, bytes] = [0, 0];
    for (; bytes < announced && count < following.length; count++)
      bytes += new TextEncoder().encode(following[count]).length;
    if (bytes !== announced) return announced;
    if (count !== announced && !isTemplate(id)) counted.set(id, announced);
    return count;
  });
  const [wrong] = counted;
  if (error || !wrong) return undefined;
  const reason = say`${announcedBy(fields, ...wrong)}: its length is in bytes`;
  return { fields, error: refusal(wrong[0], reason) };
}

/** Reads a text as if one field had another length; undefined if that makes no complete code of it. */
function readWithOtherLength(text: string, ids: readonly string[]): Reading | undefined {
  for (const wrong of ids)
    for (let length = 0; length <= 99; length++) {
      let given = 0;
      const { fields, error, twice } = tryFields(text, (id, announced) => {
        if (id !== wrong) return announced;
        given = announced;
        return length;
      });
      if (error || twice !== undefined || !isComplete(fields)) continue;
      const reason = announcedBy(fields, wrong, given);
      const isInUtf16 = fields.get(wrong)?.length === given;
      return {
        fields,
        error: refusal(wrong, isInUtf16 ? say`${reason}: an emoji is one` : reason),
      };
    }
  return undefined;
}

function tryFields(
  text: string,
  countOf: Count,
): Reading & { readonly twice?: string | undefined } {
  const fields: Fields = new Map();
  try {
    return { fields, twice: readFields(text, fields, countOf) };
  } catch (error) {
    if (error instanceof BrCodeError) return { fields, error };
    throw error;
  }
}

function announcedBy(fields: Fields, id: string, announced: number): Message {
  const count = countOfCharacters(announced);
  return say`(${nameOf(id)}) announces ${count}, but is ${quote(fields.get(id) ?? "")}`;
}

/** Whether the fields of a text are all that a code has, in their order. */
function isComplete(fields: Fields): boolean {
  const ids = [...fields.keys()].filter((id) => id.length === 2);
  return (
    (findPixTemplate(fields, "26", "51") ?? findPixTemplate(fields, "80", "99")) !== undefined &&
    ["52", "53", "58", "59", "60", "62"].every((id) => fields.has(id)) &&
    ids.every((id, index) => id > (ids[index - 1] ?? "") || id === "63")
  );
}

/** The first template in a range that belongs to Pix. */
export function findPixTemplate(fields: Fields, first: string, last: string): string | undefined {
  const templates = Array.from(fields.keys(), (id) => id.slice(0, 2));
  return templates.find(
    (id) => id >= first && id <= last && fields.get(`${id}-00`)?.toLowerCase() === PIX,
  );
}

const NAMES: Readonly<Record<string, Message>> = {
  "00": say`payload format`,
  "01": say`point of initiation`,
  "26": say`merchant account`,
  "26-00": say`arrangement`,
  "26-01": say`Pix key`,
  "26-02": say`description`,
  "26-03": say`withdrawal provider`,
  "26-25": verbatim("location"),
  "52": say`merchant category`,
  "53": say`currency`,
  "54": say`amount`,
  "58": say`country`,
  "59": say`merchant name`,
  "60": say`merchant city`,
  "61": say`postal code`,
  "62": say`additional data`,
  "62-05": verbatim("txid"),
  "63": verbatim("CRC"),
  "80": say`further template`,
  "80-00": say`arrangement`,
  "80-25": say`recurrence location`,
};

/** The name of a field, such as "59" or "26-25"; templates 26 to 51 and 80 to 99 have the same fields each. */
export function nameOf(id: string): Message {
  const [template = "", field] = id.split("-");
  const first = template >= "80" ? "80" : template >= "26" && template <= "51" ? "26" : template;
  const name = NAMES[field === undefined ? first : `${first}-${field}`];
  return name ?? say`not defined by Pix`;
}

const CORRECT = say`The CRC is right: the code is as its generator wrote it. Correct it there.`;

/** @throws BrCodeError with advice for a code whose CRC is right, by default */
export function refuse(field: string, reason: Message, advice?: Message): never {
  throw refusal(field, reason, advice);
}

function refusal(field: string, reason: Message, advice: Message = CORRECT): BrCodeError {
  return new BrCodeError(field, say`Field ${field} ${reason}.`, { advice });
}

function countOfCharacters(count: number): Message {
  return count === 1 ? say`1 character` : say`${count} characters`;
}

/** A value with its length, for a message. */
export function quote(value: string): Message {
  const [text, size] = [JSON.stringify(value), Array.from(value).length];
  const reason = countOfCharacters(size);
  return say`${text} (${reason})`;
}

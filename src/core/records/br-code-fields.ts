import { LocalizedError } from "./errors.ts";
import { type Message, say, verbatim } from "../../text/message.ts";

/** A text that is not a BR Code; `field` is the invalid one, such as "63" or "26-25", or "code" for the whole. */
export class BrCodeError extends LocalizedError {
  override readonly name: string = "BrCodeError";
  readonly field: string;

  constructor(field: string, text: Message) {
    super(text);
    this.field = field;
  }
}

/** The values of fields by their ids; a field inside a template as "26-25". */
export type Fields = Map<string, string>;

/** The name of the arrangement in a template's field 00. */
export const PIX = "br.gov.bcb.pix";

/**
 * Reads every field of a text.
 * @param fields receives them, up to the first that is wrong
 * @throws BrCodeError
 */
export function readFields(text: string, parent = "", fields: Fields = new Map()): Fields {
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
    const length = Number(head.slice(2));
    const value = characters.slice(index + 4, index + 4 + length);
    id = (parent && `${parent}-`) + head.slice(0, 2);
    if (index === 0 && !parent && id !== "00") {
      refuse("00", say`must come first, but ${id} does`);
    }
    if (fields.has(id)) refuse(id, say`appears twice`);
    if (value.length < length) {
      const whole = parent ? say`field ${parent} (99 at most)` : say`the code`;
      const announced = countOfCharacters(length);
      refuse(id, say`announces ${announced}, but ${whole} ends after ${value.length} of them`);
    }
    fields.set(id, value.join(""));
    if (/^(?:2[6-9]|[34]\d|5[01]|62|[89]\d)$/.test(id)) readFields(value.join(""), id, fields);
    index += 4 + length;
  }
  if (!parent && id !== "63") {
    refuse("63", say`(CRC) must come last, but ${id} does`);
  }
  return fields;
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

/** @throws BrCodeError */
export function refuse(field: string, reason: Message): never {
  throw new BrCodeError(field, say`Field ${field} ${reason}.`);
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

import { findDamage } from "./br-code-damage.ts";
import {
  type BrCodeDefect,
  countOfCharacters,
  defectOf,
  IDS,
  nameOf,
  PIX,
  quote,
  rowOf,
} from "./br-code-fields.ts";
import { toDirectoryKey } from "./checks.ts";
import { type Message, say } from "../../text/message.ts";

export { isLikeBrCode } from "./br-code-damage.ts";
export type { BrCodeDefect } from "./br-code-fields.ts";

/** What a text says as a BR Code, or why it is none. */
export interface BrCode {
  /**
   * In the order of the code, or of the mended one; of a malformed code those that can be read, and the field that is
   * wrong.
   */
  readonly fields: readonly ExplainedField[];
  /** Undefined for a valid code. */
  readonly defect: BrCodeDefect | undefined;
  /** What a valid code refers to: a Pix key, a charge's location, or only a recurrence's location. */
  readonly kind: "static" | "dynamic" | "recurrence";
  /** 26-25 of a valid code: an https address without its scheme. */
  readonly location: string | undefined;
  /** 59 of a valid code. */
  readonly merchantName: string | undefined;
}

/** One field of a code, for people. */
export interface ExplainedField {
  /** Such as "59", or "26-25" for a field inside a template. */
  readonly id: string;
  readonly name: Message;
  /** Undefined for a required field that is missing. */
  readonly value: string | undefined;
  /** The meaning of the value, if it is not obvious. */
  readonly note: Message | undefined;
  /** Whether other fields are inside its value. */
  readonly isTemplate: boolean;
}

/** Reads a text that is a Pix BR Code, or should be one. Variations that providers use are valid. */
export function readBrCode(text: string): BrCode {
  const damage = findDamage(text); // first: one changed character can make any other field look wrong
  const { fields, defect: unreadable } = parse(damage?.mended ?? text);
  const defect = damage ?? unreadable ?? findInvalid(fields);
  const explained = fields.map((field) => explain(field, fields, defect));
  const { field: wrong = "code" } = defect ?? {};
  if (wrong !== "code" && !fields.some(({ id }) => id === wrong)) {
    const missing = { value: undefined, note: undefined, isTemplate: false };
    explained.push({ id: wrong, name: nameOf(wrong), ...missing });
  }
  const valid = defect ? [] : fields;
  const account = pixTemplate(valid, "26") ?? "";
  const location = valueIn(valid, `${account}-25`);
  const isStatic = valueIn(valid, `${account}-01`) !== undefined;
  return {
    fields: explained,
    defect,
    kind: location ? "dynamic" : isStatic ? "static" : "recurrence",
    location,
    merchantName: valueIn(valid, "59"),
  };
}

function explain(
  { id, value }: Field,
  fields: readonly Field[],
  defect: BrCodeDefect | undefined,
): ExplainedField {
  const isFull = fields.some((field) => field.id.startsWith(`${id}-`));
  const arrangement = valueIn(fields, `${id.slice(0, 2)}-00`) ?? PIX;
  const isForeign = arrangement.toLowerCase() !== PIX; // beside the template of Pix
  const isJudged = !isFull && id !== defect?.field;
  const refused = id.endsWith("-25") ? [] : [...new Set(value.match(/[^\0-~]|&/gu))];
  const caution = refused.length > 0 ? say`some banks refuse ${refused.join(" ")}` : undefined;
  return {
    id,
    name: isForeign ? say`of another arrangement` : nameOf(id),
    value,
    note: isJudged ? (rowOf(id)?.note?.(value) ?? caution) : undefined,
    isTemplate: isFull,
  };
}

/** The first rule that readable fields break. */
function findInvalid(fields: readonly Field[]): BrCodeDefect | undefined {
  const first = fields[0]?.id;
  if (first !== "00") return defectOf("00", say`must come first, but ${first ?? ""} does`);
  for (const [index, { id, value }] of fields.entries()) {
    if (fields.slice(0, index).some((field) => field.id === id))
      return defectOf(id, say`appears twice`);
    if (!isTemplate(id) && /\p{Cc}/u.test(value)) {
      const wrong = quote(value);
      return defectOf(id, say`(${nameOf(id)}) must not have control characters, but is ${wrong}`);
    }
  }
  const [account, recurrence] = [pixTemplate(fields, "26"), pixTemplate(fields, "80")];
  if (!account) return defectOf("26-00", say`must be ${PIX}, here or in a template up to 51`);
  for (const row of IDS) {
    if (row.startsWith("80") && !recurrence) continue;
    const id = row.replace(/^26/, account).replace(/^80/, recurrence ?? "");
    const defect = findBroken(id, valueIn(fields, id));
    if (defect) return defect;
  }
  const [key, location] = [valueIn(fields, `${account}-01`), valueIn(fields, `${account}-25`)];
  if (key && location)
    return defectOf(
      `${account}-25`,
      say`(location) must be absent beside ${account}-01, a Pix key`,
    );
  if (!key && !location && !recurrence)
    return defectOf(account, say`must have a Pix key (01) or a location (25), but has neither`);
  const amount = valueIn(fields, "54");
  if (Number(amount) !== 0 || amount === undefined || valueIn(fields, `${account}-03`))
    return undefined;
  const wrong = say`(amount) must be more than 0, or absent if the payer chooses it, but is ${quote(amount)}`;
  return defectOf("54", wrong);
}

function findBroken(id: string, value: string | undefined): BrCodeDefect | undefined {
  const { name, rule: [shape, expected] = [], isRequired } = rowOf(id) ?? {};
  if (!name || !shape || !expected) return undefined;
  if (value === undefined ? !isRequired : shape.test(value)) return undefined;
  if (value === undefined) return defectOf(id, say`(${name}) must be ${expected}, but is missing`);
  const wrong = say`(${name}) must be ${expected}, but is ${quote(value)}`;
  const meant = id.endsWith("-01") ? toDirectoryKey(value) : undefined;
  return defectOf(id, meant ? say`${wrong}; ${JSON.stringify(meant)} is probably meant` : wrong);
}

/** The first template of Pix from 26 to 51, or from 80 to 99. */
function pixTemplate(fields: readonly Field[], first: "26" | "80"): string | undefined {
  const isPix = ({ id, value }: Field): boolean =>
    id.endsWith("-00") && value.toLowerCase() === PIX && (first === "80") === id >= "80";
  return fields.find(isPix)?.id.slice(0, 2);
}

/** Whether a field has fields inside. */
function isTemplate(id: string): boolean {
  return /^(?:2[6-9]|[34]\d|5[01]|62|[89]\d)$/.test(id);
}

function valueIn(fields: readonly Field[], id: string): string | undefined {
  return fields.find((field) => field.id === id)?.value;
}

interface Field {
  /** Such as "59", or "26-25" for a field inside a template. */
  readonly id: string;
  readonly value: string;
}

interface Parsed {
  /** Up to the first that cannot be read. */
  readonly fields: Field[];
  readonly defect?: BrCodeDefect | undefined;
}

/** Reads the fields of any text. If they cannot be read, the one that another order follows has a wrong length. */
function parse(text: string): Parsed {
  const ordered = parseFields(text, true);
  if (!ordered.defect) return ordered;
  const unordered = parseFields(text, false);
  return unordered.defect ? ordered : unordered;
}

function parseFields(text: string, isOrdered: boolean, parent = ""): Parsed {
  const fields: Field[] = [];
  const characters = Array.from(text); // lengths count characters, which can be two code units
  let [id, length, value] = [parent || "00", characters.length, ""];
  const fail = (reason: Message): Parsed => {
    const isAscii = /^[\0-~]*$/.test(value);
    const hint = say`${reason}; an accented letter or an emoji is one character`;
    const wrong = say`(${nameOf(id)}) announces ${countOfCharacters(length)}, but ${isAscii ? reason : hint}`;
    return { fields, defect: defectOf(id, wrong) };
  };
  for (let at = 0; at < characters.length; at += 4 + length) {
    const head = characters.slice(at, at + 4).join("");
    const next = (parent && `${parent}-`) + head.slice(0, 2);
    if (!/^\d{4}$/.test(head) || (isOrdered && at > 0 && next <= id))
      return fail(say`no other field follows them, but ${quote(head)}`);
    [id, length] = [next, Number(head.slice(2))];
    const following = characters.slice(at + 4, at + 4 + 99);
    if (/^\d0014br\.gov/i.test(following.slice(0, 11).join("")))
      return fail(say`its length has three digits: shorten the fields in it`);
    value = following.slice(0, length).join("");
    if (following.length < length) {
      const whole = parent ? say`field ${parent}` : say`the code`;
      return fail(say`${whole} ends after ${following.length} of them`);
    }
    fields.push({ id, value });
    const inside = isTemplate(id) ? parseFields(value, isOrdered, id) : undefined;
    fields.push(...(inside?.fields ?? []));
    if (inside?.defect) return { fields, defect: inside.defect };
  }
  return parent || id === "63" ? { fields } : fail(say`the CRC must follow as field 63`);
}

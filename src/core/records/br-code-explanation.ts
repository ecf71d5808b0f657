import { type BrCode, readBrCode } from "./br-code.ts";
import { BrCodeError, type Fields, nameOf, PIX, readAnyFields } from "./br-code-fields.ts";
import { hasCpfCheckDigits } from "./checks.ts";
import { type Message, say, verbatim } from "../../text/message.ts";

/** One field of a code, for people. */
export interface ExplainedField {
  /** Such as "59" or "26-25". */
  readonly id: string;
  readonly name: Message;
  /** Undefined for a required field that is missing. */
  readonly value: string | undefined;
  /** The meaning of the value, if it is not obvious. */
  readonly note?: Message | undefined;
  /** Whether other fields are inside its value. */
  readonly isTemplate: boolean;
}

export interface BrCodeExplanation {
  /**
   * In the order of the code, or of the mended one; of a malformed code those that can be read, and the field that is
   * wrong.
   */
  readonly fields: readonly ExplainedField[];
  /** The code's content, or why it is not a BR Code. */
  readonly result: BrCode | BrCodeError;
}

/** Explains each field of a text that is a BR Code, or should be one. */
export function explainBrCode(text: string): BrCodeExplanation {
  const result = read(text);
  const error = result instanceof BrCodeError ? result : undefined;
  const values = readAnyFields(error?.mended ?? text).fields;
  const wrong = error?.field;
  const templates = new Set(Array.from(values.keys(), (id) => /^(..)-/.exec(id)?.[1]));
  const fields: ExplainedField[] = Array.from(values, ([id, value]) => ({
    id,
    name: isOfAnotherArrangement(id, values) ? OTHER_ARRANGEMENT : nameOf(id),
    value,
    note: id === wrong || templates.has(id) ? undefined : noteOf(id, value),
    isTemplate: templates.has(id),
  }));
  if (wrong !== undefined && wrong !== "code" && !values.has(wrong))
    fields.push({ id: wrong, name: nameOf(wrong), value: undefined, isTemplate: false });
  return { fields, result };
}

function read(text: string): BrCode | BrCodeError {
  try {
    return readBrCode(text);
  } catch (error) {
    if (error instanceof BrCodeError) return error;
    throw error;
  }
}

/** A code may have templates of other arrangements beside that of Pix. */
function isOfAnotherArrangement(id: string, values: Fields): boolean {
  const arrangement = values.get(`${id.slice(0, 2)}-00`);
  return arrangement !== undefined && arrangement.toLowerCase() !== PIX;
}

const OTHER_ARRANGEMENT = say`of another arrangement`;

function noteOf(id: string, value: string): Message | undefined {
  return cautionOf(id, value) ?? NOTES[`${id}=${value}`] ?? NOTES[id];
}

/** What the standards allow and some banks refuse. */
function cautionOf(id: string, value: string): Message | undefined {
  if (id === "54" && !/\.\d\d$/.test(value))
    return say`BRL; some banks require two decimals: ${Number(value).toFixed(2)}`;
  if (id === "62-05" && /[^\dA-Za-z]/.test(value) && value !== "***")
    return say`some banks accept only letters and digits`;
  if (id.endsWith("-01") && /^\d{11}$/.test(value) && !hasCpfCheckDigits(value))
    return say`no valid CPF; a phone number begins with +55`;
  const refused = id.endsWith("-25") ? [] : [...new Set(value.match(/[^\0-~]|&/gu))];
  return refused.length > 0 ? say`some banks refuse ${refused.join(" ")}` : undefined;
}

/** The meaning of a field's value: of one, or of any. */
const NOTES: Readonly<Record<string, Message>> = {
  "01=11": say`can be paid several times`,
  "01=12": say`for one payment`,
  "52=0000": say`not given`,
  "53=986": say`BRL, the real`,
  "54": verbatim("BRL"),
  "62-05=***": say`none`,
  "63": say`correct`,
};

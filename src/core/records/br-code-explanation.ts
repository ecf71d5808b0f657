import { type BrCode, readBrCode } from "./br-code.ts";
import { BrCodeError, type Fields, nameOf, PIX, readFields } from "./br-code-fields.ts";
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
  /** In the order of the code; of a malformed code those that can be read, and the field that is wrong. */
  readonly fields: readonly ExplainedField[];
  /** The code's content, or why it is not a BR Code. */
  readonly result: BrCode | BrCodeError;
}

/** Explains each field of a text that is a BR Code, or should be one. */
export function explainBrCode(text: string): BrCodeExplanation {
  const values: Fields = new Map();
  attempt(() => readFields(text, "", values));
  const result = attempt(() => readBrCode(text));
  const wrong = result instanceof BrCodeError ? result.field : undefined;
  const templates = new Set(Array.from(values.keys(), (id) => /^(..)-/.exec(id)?.[1]));
  const fields: ExplainedField[] = Array.from(values, ([id, value]) => ({
    id,
    name: isOfAnotherArrangement(id, values) ? OTHER_ARRANGEMENT : nameOf(id),
    value,
    note: id === wrong ? undefined : noteOf(id, value),
    isTemplate: templates.has(id),
  }));
  if (wrong !== undefined && wrong !== "code" && !values.has(wrong))
    fields.push({ id: wrong, name: nameOf(wrong), value: undefined, isTemplate: false });
  return { fields, result };
}

/** The result of a function, or the BrCodeError that it throws. */
function attempt<Result>(run: () => Result): Result | BrCodeError {
  try {
    return run();
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
  if (id === "54" && !/\.\d\d$/.test(value))
    return say`BRL; some banks require two decimals: ${Number(value).toFixed(2)}`;
  return NOTES[`${id}=${value}`] ?? NOTES[id];
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

import type { LocalizedText } from "./localized-text.ts";

/** The specification's error codes, all eight. */
export type ErrorCode =
  | "VALIDATION_ERROR"
  | "INVALID_VALUE"
  | "NOT_PROCESSABLE"
  | "NO_ACTIVE_CREDENTIAL"
  | "EXTERNAL_ERROR"
  | "DUPLICATED_VALUE"
  | "REQUIRED_VALUE"
  | "EMPTY_VALUE";

/** The codes that only ever stand on a field; the others can head an envelope. */
export type FieldCode = "INVALID_VALUE" | "REQUIRED_VALUE" | "EMPTY_VALUE";
export type TopLevelCode = Exclude<ErrorCode, FieldCode>;

export interface FieldError {
  readonly field: string;
  readonly code: ErrorCode;
  readonly message: LocalizedText;
}

/** A refusal: a documented code, a sentence, and an entry for each field at fault. */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";
  readonly code: TopLevelCode;
  readonly sentence: LocalizedText;
  readonly fields: readonly FieldError[];

  constructor(code: TopLevelCode, sentence: LocalizedText, fields: readonly FieldError[] = []) {
    super(sentence.en);
    this.code = code;
    this.sentence = sentence;
    this.fields = fields;
  }
}

/** A fixtures file that cannot be read, or holds what cannot be: which, where, and what to do about it. */
export class FixtureError extends Error {
  override readonly name = "FixtureError";
  /** Which file, and where in it. */
  readonly place: string;
  /** What is wrong there, from the mark on that stands before it. */
  readonly wrong: LocalizedText;

  constructor(place: string, wrong: LocalizedText) {
    super(`${place}${wrong.en}`);
    this.place = place;
    this.wrong = wrong;
  }
}

/** Fields of a request break their rules: one entry a field, each with its own code. */
export function invalidFields(fields: readonly FieldError[]): GatewayError {
  const names = fields.map(({ field }) => field).join(", ");
  return new GatewayError(
    "VALIDATION_ERROR",
    { en: `Check these fields: ${names}.`, pt: `Verifique estes campos: ${names}.` },
    fields,
  );
}

/** The request is well-formed, but the gateway's rules forbid it; `field` names the member at fault. */
export function notProcessable(message: LocalizedText, field?: string): GatewayError {
  const fields = field === undefined ? [] : [{ field, code: "NOT_PROCESSABLE" as const, message }];
  return new GatewayError("NOT_PROCESSABLE", message, fields);
}

import { joined, type Message, say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

/** The specification's error codes that a response can have; a fault can inject each. */
export const TOP_LEVEL_CODES = [
  "VALIDATION_ERROR",
  "NO_ACTIVE_CREDENTIAL",
  "DUPLICATED_VALUE",
  "NOT_PROCESSABLE",
  "EXTERNAL_ERROR",
] as const;
/** The codes that only entries of `errors` have. */
export const FIELD_CODES = ["INVALID_VALUE", "REQUIRED_VALUE", "EMPTY_VALUE"] as const;

export type TopLevelCode = (typeof TOP_LEVEL_CODES)[number];
export type ErrorCode = TopLevelCode | (typeof FIELD_CODES)[number];

export interface FieldError {
  readonly field: string;
  readonly code: ErrorCode;
  readonly message: Message;
}

/** An error for people to read: `text` is its message in each language, `message` the English one. */
export class LocalizedError extends Error {
  readonly text: Message;

  constructor(text: Message) {
    super(english(text));
    this.text = text;
  }
}

/** A refusal: a documented code, a message, and an entry for each invalid field. */
export class GatewayError extends LocalizedError {
  override readonly name: string = "GatewayError";
  readonly code: TopLevelCode;
  readonly fields: readonly FieldError[];

  constructor(code: TopLevelCode, text: Message, fields: readonly FieldError[] = []) {
    super(text);
    this.code = code;
    this.fields = fields;
  }
}

/** A fixtures file that cannot be read or has invalid content. */
export class FixtureError extends LocalizedError {
  override readonly name = "FixtureError";

  /** @param wrong with the punctuation that follows the place */
  constructor(place: Message, wrong: Message) {
    super(joined([place, wrong], ""));
  }
}

/** Refuses invalid fields of a request: one entry per field, each with its own code. */
export function invalidFields(fields: readonly FieldError[]): GatewayError {
  const names = fields.map(({ field }) => field).join(", ");
  return new GatewayError("VALIDATION_ERROR", say`Check these fields: ${names}.`, fields);
}

/** The request is well-formed, but the gateway's rules forbid it; `field` names the member that it concerns. */
export function notProcessable(message: Message, field?: string): GatewayError {
  const fields = field === undefined ? [] : [{ field, code: "NOT_PROCESSABLE" as const, message }];
  return new GatewayError("NOT_PROCESSABLE", message, fields);
}

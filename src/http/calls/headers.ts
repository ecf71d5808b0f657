import { type FieldError, invalidFields } from "../../core/records/errors.ts";
import type { Call } from "./call.ts";
import { say } from "../../text/message.ts";
import { preferredLanguage, type Language, LANGUAGE_NAMES } from "../../text/languages.ts";

/** The value of a request's header; null if it was not sent. */
export function readHeader({ headers }: Pick<Call, "headers">, name: string): string | null {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}

/**
 * Whether a header was sent more than once, so that its values are joined with commas. A call of this process
 * does not show it: its `Request` has joined the values already.
 */
export function isRepeated({ rawHeaders }: Pick<Call, "rawHeaders">, name: string): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name)
      count++;
  return count > 1;
}

export function headerText(value: string): string {
  return decodeHeader(value).trim();
}

/** A header's text. Its bytes arrive as Latin-1; clients that send UTF-8 mean UTF-8. */
export function decodeHeader(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const text = Buffer.from(value, "latin1").toString("utf8");
  return text.includes("\ufffd") ? value : text;
}

export function repeatedHeader(field: string): FieldError {
  return {
    field,
    code: "INVALID_VALUE",
    message: say`The header ${field} is sent more than once; send it once.`,
  };
}

/** The integration that a request names in `x-api-token`; null if it names none. */
export function readToken(call: Pick<Call, "headers">): string | null {
  return headerText(readHeader(call, "x-api-token") ?? "") || null;
}

/**
 * Checks the token of a control route. A blank one, for example from an unset variable, would select
 * all integrations.
 * @throws GatewayError VALIDATION_ERROR for a token that is blank or sent more than once.
 */
export function checkToken(call: Call): void {
  const sent = readHeader(call, "x-api-token");
  if (sent === null) return;
  if (readToken(call) === null)
    throw invalidFields([{ field: "x-api-token", code: "EMPTY_VALUE", message: BLANK_TOKEN }]);
  if (sent.includes(",") && isRepeated(call, "x-api-token"))
    throw invalidFields([repeatedHeader("x-api-token")]);
}

const BLANK_TOKEN = say`The header x-api-token is empty; leave it out to act on all integrations.`;

/**
 * The language of messages that the call requests, whatever the assumption `error.language` is. The command
 * line sends it.
 */
export function requestedLanguage(call: Pick<Call, "headers">): Language | undefined {
  const requested = readHeader(call, "x-sandbox-language");
  return LANGUAGE_NAMES.find((one) => one === requested);
}

/** The language of a page, as its reader's browser asks for it. */
export function pageLanguage(call: Pick<Call, "headers">): Language {
  return preferredLanguage(readHeader(call, "accept-language") ?? "");
}

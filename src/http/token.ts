import { invalidFields } from "../core/errors.ts";
import { type Call, isRepeated, readHeader } from "./call.ts";
import { headerText, repeatedHeader } from "./header-text.ts";

/** The integration that a request names in `x-api-token`; null if it names none. */
export function readToken(call: Pick<Call, "headers">): string | null {
  return headerText(readHeader(call, "x-api-token") ?? "") || null;
}

/**
 * Checks the token of a control route. A blank one, such as an unset variable leaves, would name all
 * integrations.
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

const BLANK_TOKEN = {
  en: "The header x-api-token is empty; leave it out to act on all integrations.",
  pt: "O cabeçalho x-api-token está vazio; deixe-o fora para agir sobre todas as integrações.",
};

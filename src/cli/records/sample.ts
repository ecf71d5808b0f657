import { type CliError, usageError } from "../terminal/errors.ts";
import { currentLanguage, localize } from "../terminal/language.ts";
import { say } from "../../text/message.ts";

/** Reads a number. Returns other texts unchanged, so that the gateway refuses them. */
export function readNumber(text: string): number | string {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? text : number;
}

/**
 * Reads an amount. In Portuguese decimals follow a comma or a point: `10,50`, `1.234,56`, `10.50`.
 * @throws CliError in English for decimals after a comma, and in Portuguese for `1.000`, where the point could precede
 * decimals or group digits.
 */
export function readAmount(text: string): number | string {
  const amount = text.trim();
  const isPortuguese = currentLanguage() === "pt-BR";
  if (isPortuguese && /^[1-9]\d{0,2}\.\d{3}$/.test(amount)) throw ambiguous(amount);
  if (!/^(?:\d+|\d{1,3}(?:\.\d{3})+),\d{1,2}$/.test(amount)) return readNumber(text);
  const withPoint = amount.replaceAll(".", "").replace(",", ".");
  if (isPortuguese) return readNumber(withPoint);
  throw usageError(
    localize(say`Invalid amount ${JSON.stringify(text)}: decimals follow a point.`),
    localize(say`Use ${withPoint}, or add --lang pt-BR, which accepts a comma.`),
  );
}

function ambiguous(amount: string): CliError {
  const [whole = "", rest = ""] = amount.split(".");
  const text = say`Ambiguous amount ${JSON.stringify(amount)}.`;
  const hint = say`Use ${whole}${rest} or ${whole},${rest.slice(0, 2)}.`;
  return usageError(localize(text), localize(hint));
}

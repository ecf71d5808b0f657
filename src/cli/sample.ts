import { usageError } from "./errors.ts";
import { currentLanguage, localize } from "./language.ts";

/** Reads a number. Returns other texts unchanged, so that the gateway refuses them. */
export function readNumber(text: string): number | string {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? text : number;
}

/**
 * Reads an amount. In Portuguese a comma precedes the decimals: `10,50`, `1.234,56`.
 * @throws CliError for such an amount in English, where a comma has another meaning.
 */
export function readAmount(text: string): number | string {
  const amount = text.trim();
  if (!/^(?:\d+|\d{1,3}(?:\.\d{3})+),\d{1,2}$/.test(amount)) return readNumber(text);
  const withPoint = amount.replaceAll(".", "").replace(",", ".");
  if (currentLanguage() === "pt-BR") return readNumber(withPoint);
  throw usageError(
    localize({
      en: `Invalid amount ${JSON.stringify(text)}: decimals follow a point.`,
      pt: `Valor inválido: ${JSON.stringify(text)}.`,
    }),
    localize({
      en: `Use ${withPoint}, or add --lang pt-BR, which accepts a comma.`,
      pt: `Use ${withPoint}.`,
    }),
  );
}

import { toReais } from "../../text/languages.ts";
import { joined } from "../../text/message.ts";
import { coreLanguage, localize } from "./language.ts";

/** A number as the reader writes it: `2.4`, in Portuguese `2,4`. */
export function toNumber(value: number): string {
  return localize(joined([value]));
}

/** A duration: `2.4 ms`, in Portuguese `2,4 ms`. */
export function toMilliseconds(durationMs: number): string {
  return `${toNumber(durationMs)} ms`;
}

/** An amount: `R$10.50`, in Portuguese `R$ 10,50`. */
export function toMoney(reais: number): string {
  // Some terminals show a no-break space as another character.
  return toReais(reais, coreLanguage()).replaceAll("\u00a0", " ");
}

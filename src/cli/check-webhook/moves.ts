import type { LocalizedText } from "../../text/localized-text.ts";

export const ONCE: LocalizedText = { en: "acts once", pt: "age uma vez" };
export const UNMOVED: LocalizedText = { en: "does not act", pt: "não age" };

/** How much of an effect is shown. */
const SHOWN = 100;

/** How an effect changed. */
export function describeMove(before: string, after: string): LocalizedText {
  const [from, to] = [before, after].map((text) =>
    text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text,
  );
  return {
    en: `The effect changed from ${from} to ${to}.`,
    pt: `O efeito mudou de ${from} para ${to}.`,
  };
}

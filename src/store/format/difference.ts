import type { Language, LocalizedText } from "../../text/localized-text.ts";
import { type ListName, LISTS, type Trailer } from "./schema.ts";

/** Describes how the lists of a file differ from what was written; `otherwise` if their lengths are the same. */
export function describeDifference(
  { counts }: Pick<Trailer, "counts">,
  found: ReadonlyMap<ListName, number>,
  otherwise: LocalizedText,
): LocalizedText {
  const differing = LISTS.filter((list) => (counts[list] ?? 0) !== (found.get(list) ?? 0));
  if (differing.length === 0) return otherwise;
  const inLanguage = (language: Language): string => {
    const write = (count = 0): string => count.toLocaleString(LOCALES[language]);
    return differing
      .map((list) => `${write(counts[list])} → ${write(found.get(list))} ${NOUNS[list][language]}`)
      .join(", ");
  };
  return { en: inLanguage("en"), pt: inLanguage("pt") };
}

const LOCALES: Readonly<Record<Language, string>> = { en: "en-US", pt: "pt-BR" };

const NOUNS: Readonly<Record<ListName, LocalizedText>> = {
  webhookConfigurations: { en: "webhook configurations", pt: "configurações de webhook" },
  changedAssumptions: { en: "changed assumptions", pt: "premissas alteradas" },
  payins: { en: "payins", pt: "payins" },
  payouts: { en: "payouts", pt: "payouts" },
  deliveries: { en: "deliveries", pt: "entregas" },
  faults: { en: "faults", pt: "falhas" },
};

import type { LocalizedText } from "../text/localized-text.ts";

/** The words of every form of the report. */
export const LABELS = {
  title: { en: "Integration review", pt: "Revisão da integração" },
  fail: { en: "Failure", pt: "Falha" },
  warning: { en: "Warning", pt: "Aviso" },
  harm: { en: "What it costs", pt: "O que custa" },
} satisfies Record<string, LocalizedText>;

/** The languages of texts for people. */
export type Language = "en" | "pt";

/** A text for people in each language. */
export type LocalizedText = Readonly<Record<Language, string>>;

/** Appends a text to another one, in each language. */
export function append(text: LocalizedText, end: LocalizedText | string): LocalizedText {
  return typeof end === "string"
    ? { en: text.en + end, pt: text.pt + end }
    : { en: text.en + end.en, pt: text.pt + end.pt };
}

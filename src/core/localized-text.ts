/** The languages of texts for people. */
export type Language = "en" | "pt";

/** A text for people in each language. */
export type LocalizedText = Readonly<Record<Language, string>>;

/** The languages in which the gateway speaks to a merchant. */
export type Language = "en" | "pt";

/** One thing said, in each language; which one is sent is an assumption of the integration. */
export type LocalizedText = Readonly<Record<Language, string>>;

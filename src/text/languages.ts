import { type Message, say, type Value } from "./message.ts";

/** A language of texts for people. */
interface LanguageRow {
  /** BCP 47: `--lang`, `accept-language`, and the rules of `Intl`. */
  readonly tag: string;
  readonly name: Message;
  /** In the language itself. */
  readonly ownName: string;
  /** What stands before an amount, between thousands, and before decimals. */
  readonly marks: { readonly reais: string; readonly group: string; readonly decimal: string };
  /** Loads the texts. The texts of the source are English. */
  readonly load?: () => Promise<{ readonly default: Catalogue }>;
}

/** The texts of a language, by their English templates; with a context: `context|template`. */
type Catalogue = Readonly<Record<string, string>>;

/** Every language. A further one is a line here, and its folder of catalogues. */
export const LANGUAGES = {
  en: {
    tag: "en",
    name: say`English`,
    ownName: "English",
    marks: { reais: "R$", group: ",", decimal: "." },
  },
  pt: {
    tag: "pt-BR",
    name: say`Portuguese`,
    ownName: "Português",
    marks: { reais: "R$\u00a0", group: ".", decimal: "," },
    load: () => import("./pt-BR/index.ts"),
  },
} as const satisfies Record<string, LanguageRow>;

export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as [Language, ...Language[]];
export const LANGUAGE_TAGS = LANGUAGE_NAMES.map((name) => LANGUAGES[name].tag);

/** How a language can be given: by its tag, or shorter by its name. */
export const LANGUAGE_OPTIONS = [...new Set([...LANGUAGE_TAGS, ...LANGUAGE_NAMES])];

/** The language that a tag names, such as `pt_BR.UTF-8`: by its first part. */
export function findLanguage(tag: string): Language | undefined {
  const [first] = tag.toLowerCase().split(/[-_.@;]/);
  return LANGUAGE_NAMES.find((name) => name === first);
}

/** The language that an `accept-language` header prefers; English if it names none of ours. */
export function preferredLanguage(header: string): Language {
  // Browsers send them in the order of their weights.
  const languages = header.split(",").map((range) => findLanguage(range.trim()));
  return languages.find(Boolean) ?? "en";
}

/** The texts that are loaded: until then, those of a language are English. */
export const catalogues: Partial<Record<Language, Catalogue>> = {};

/** Loads the texts of languages, once. */
export async function loadLanguages(names: readonly Language[] = LANGUAGE_NAMES): Promise<void> {
  for (const name of names) {
    const { load }: LanguageRow = LANGUAGES[name];
    if (load) catalogues[name] ??= (await load()).default;
  }
}

/** Puts a message into the words of a language; a text that its catalogue lacks stays English. */
export function translate(message: Message, language: Language): string {
  const { template, context, values, translations } = message;
  const key = context === undefined ? template : `${context}|${template}`;
  const catalogue = catalogues[language];
  // Its own entries only: a file's text may be "toString".
  const found = catalogue && Object.hasOwn(catalogue, key) ? catalogue[key] : undefined;
  const text = translations?.[language] ?? found ?? template;
  return text.replaceAll(/\{(\d+)\}/g, (_, place) =>
    inWords(values[Number(place)] ?? "", language),
  );
}

function inWords(value: Value, language: Language): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && "template" in value) return translate(value, language);
  const text = typeof value === "number" ? String(value) : value.number.toFixed(value.decimals);
  return text.includes("e") ? text : text.replace(".", LANGUAGES[language].marks.decimal);
}

/** Puts a message into English words. */
export function english(message: Message): string {
  return translate(message, "en");
}

/**
 * An amount in reais as `Intl.NumberFormat` writes it, with two decimals: `R$1,234.50`. Loading the data of
 * `Intl` takes longer than everything else that a short command does.
 */
export function toReais(value: number, language: Language): string {
  const { reais, group, decimal } = LANGUAGES[language].marks;
  const [whole = "", cents = ""] = Math.abs(value).toFixed(2).split(".");
  const groups = whole.replaceAll(/\B(?=(\d{3})+$)/g, group);
  return `${value < 0 ? "-" : ""}${reais}${groups}${decimal}${cents}`;
}

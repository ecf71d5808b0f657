import { type Catalogue, type Message, putIntoWords, say, type Words } from "./message.ts";

/** A language of texts for people. */
interface LanguageRow {
  /** BCP 47: `--lang`, `accept-language`, and the rules of `Intl`. */
  readonly tag: string;
  readonly name: Message;
  /** In the language itself. */
  readonly ownName: string;
  /** Use the plural rules of this language. Default: `tag`. */
  readonly plural?: string;
  /** What stands before an amount, between thousands, and before decimals. */
  readonly marks: { readonly reais: string; readonly group: string; readonly decimal: string };
  /** Loads the texts. The texts of the source are English. */
  readonly catalogue?: () => Promise<{ readonly default: Catalogue }>;
}

/** Every language. A further one is a line here, and its folder of catalogues. */
export const LANGUAGES = {
  en: {
    tag: "en",
    name: say`English`,
    ownName: "English",
    marks: { reais: "R$", group: ",", decimal: "." },
  },
  // CLDR counts 0 as singular in Brazil; these texts say "0 falhas", as in Portugal.
  pt: {
    tag: "pt-BR",
    name: say`Portuguese`,
    ownName: "Português",
    plural: "pt-PT",
    marks: { reais: "R$\u00a0", group: ".", decimal: "," },
    catalogue: () => import("./pt-BR/index.ts"),
  },
} as const satisfies Record<string, LanguageRow>;

export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as [Language, ...Language[]];

/** The tag of a language. */
export function tagOf<Name extends Language>(name: Name): (typeof LANGUAGES)[Name]["tag"] {
  return LANGUAGES[name].tag;
}

export type LanguageTag = (typeof LANGUAGES)[Language]["tag"];
export const LANGUAGE_TAGS = LANGUAGE_NAMES.map(tagOf) as [LanguageTag, ...LanguageTag[]];

/** How a language can be given: by its tag, or shorter by its name. */
export const LANGUAGE_OPTIONS = [...new Set([...LANGUAGE_TAGS, ...LANGUAGE_NAMES])];

/** The choices of the assumption `error.language`. */
export const LANGUAGE_CHOICES = Object.fromEntries(
  LANGUAGE_NAMES.map((name) => [name, say`${LANGUAGES[name].name}.`]),
) as Readonly<Record<Language, Message>>;

/** The language that a tag names, such as `pt_BR.UTF-8`: by the whole tag, else by its first part. */
export function findLanguage(tag: string): Language | undefined {
  const [wanted = ""] = tag.toLowerCase().replaceAll("_", "-").split(/[.@]/);
  const lowerTag = (name: Language): string => tagOf(name).toLowerCase();
  return (
    LANGUAGE_NAMES.find((name) => lowerTag(name) === wanted) ??
    LANGUAGE_NAMES.find((name) => lowerTag(name).split("-")[0] === wanted.split("-")[0])
  );
}

/** The language that an `accept-language` header prefers; English if it names none of ours. */
export function preferredLanguage(header: string): Language {
  const weighted = header
    .toLowerCase()
    .split(",")
    .flatMap((range) => {
      const [, tag = "", weight = "1"] =
        /^\s*([a-z-]+)\s*(?:;\s*q=([\d.]+))?\s*$/.exec(range) ?? [];
      const language = findLanguage(tag);
      return language === undefined || Number(weight) === 0
        ? []
        : [{ language, weight: Number(weight) }];
    });
  // The sort is stable: of two with the same weight, the first one counts.
  return weighted.toSorted((one, other) => other.weight - one.weight)[0]?.language ?? "en";
}

const loaded = new Map<Language, Words>();

/** Loads the texts of languages: until then, their texts are English. */
export async function loadLanguages(names: readonly Language[] = LANGUAGE_NAMES): Promise<void> {
  for (const name of names) {
    const { catalogue }: LanguageRow = LANGUAGES[name];
    if (catalogue && !loaded.has(name)) setCatalogue(name, (await catalogue()).default);
  }
}

/** Whether the texts of every language are loaded. */
export function hasAllLanguages(): boolean {
  return loaded.size === CATALOGUES;
}

const CATALOGUES = Object.values<LanguageRow>(LANGUAGES).filter((row) => row.catalogue).length;

export function setCatalogue(name: Language, catalogue: Catalogue): void {
  loaded.set(name, wordsOf(name, catalogue));
}

/** Puts a message into the words of a language. */
export function translate(message: Message, language: Language): string {
  return putIntoWords(message, loaded.get(language) ?? ENGLISH);
}

/** Puts a message into English words. */
export function english(message: Message): string {
  return putIntoWords(message, ENGLISH);
}

function wordsOf(name: Language, catalogue: Catalogue): Words {
  const { tag, plural = tag, marks }: LanguageRow = LANGUAGES[name];
  let rules: Intl.PluralRules | undefined;
  return {
    language: name,
    catalogue,
    plural: (count) => (rules ??= new Intl.PluralRules(plural)).select(count),
    number: (value, format) => {
      if (format) return new Intl.NumberFormat(tag, format).format(value);
      // Ports and lengths have no groups of digits.
      const text = String(value);
      return text.includes("e") ? text : text.replace(".", marks.decimal);
    },
  };
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

const ENGLISH = wordsOf("en", {});

import type { LocalizedText } from "../core/localized-text.ts";

/**
 * The languages of what commands print. English stands where it is said, as t`Port ${port} is taken.`, and is
 * the key of its entry in the catalogue of the other language, with {0} and {1} for what is put there.
 *
 * The gateway's own answers are none of this: their language is the assumption `error.language`.
 */
export const LANGUAGES = ["en", "pt-BR"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What a language says for what is English otherwise. */
export interface Catalogue {
  /** What the command line says itself. */
  readonly own: Readonly<Record<string, string>>;
  /** What it prints for others, who say it in English: commander, the layers below, a running sandbox. */
  readonly others: Readonly<Record<string, string>>;
}

let spoken: Language = "en";
let own: ReadonlyMap<string, string> = new Map();
let others: readonly Template[] = [];

/** Words of others with places in them, and what is said for them. */
interface Template {
  readonly pattern: RegExp;
  readonly words: string;
}

/** From now on, {@link t} and {@link tell} speak that language. A catalogue is loaded where it is spoken. */
export async function speak(language: Language): Promise<void> {
  spoken = language;
  const catalogue =
    language === "en"
      ? { own: {}, others: {} }
      : (await import("./languages/pt-BR.ts")).brazilianPortuguese;
  own = new Map(Object.entries(catalogue.own));
  others = toTemplates(catalogue);
}

/** The language that a command line and its surroundings ask for: --lang, PIX_SANDBOX_LANG, the machine's. */
export function languageOf(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Language {
  const flags = args.map((arg, index) =>
    arg === "--lang" ? args[index + 1] : /^--lang=(.*)$/.exec(arg)?.[1],
  );
  const said = flags.findLast((flag) => flag !== undefined) ?? env["PIX_SANDBOX_LANG"];
  const machine = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  // What is said and is no language, commander refuses.
  return LANGUAGES.find((one) => one === said) ?? (/^pt(?![a-z])/i.test(machine) ? "pt-BR" : "en");
}

/** One thing that the command line says, in the language that is spoken. */
export function t(words: TemplateStringsArray, ...values: readonly unknown[]): string {
  const key = words.reduce((text, word, index) => `${text}{${index - 1}}${word}`);
  return fill(own.get(key) ?? key, values.map(String));
}

/** The same of a text that stands elsewhere in English, such as a description of an option. */
export function tell(text: string): string {
  return own.get(text) ?? text;
}

/** What is there in each language. */
export function tellSentence({ en, pt }: LocalizedText): string {
  return spoken === "en" ? en : pt;
}

/**
 * What others have said in English, with what they put into it. It is recognised by its words, so that whoever
 * says it knows of no languages; a test holds the catalogue against the sources. What is not known stays as it is.
 * In an entry, {>0} is a place whose words are told likewise.
 */
export function retell(text: string): string {
  // Several sentences, one behind the other: the shortest beginning that is known, then the rest.
  for (let end = text.indexOf(". "); end > 0; end = text.indexOf(". ", end + 1)) {
    const beginning = retellWhole(text.slice(0, end + 1));
    if (beginning !== undefined) return `${beginning} ${retell(text.slice(end + 2))}`;
  }
  return retellWhole(text) ?? text;
}

function retellWhole(text: string): string | undefined {
  for (const { pattern, words } of others) {
    const found = pattern.exec(text);
    if (found) return fill(words, found.slice(1));
  }
  return undefined;
}

function fill(words: string, values: readonly string[]): string {
  return words.replace(/\{(>?)(\d)\}/g, (_place, isTold: string, index: string) => {
    const value = values[Number(index)] ?? "";
    return isTold ? retell(value) : value;
  });
}

/** Those with the most words first: they say most exactly what is meant. */
function toTemplates(catalogue: Catalogue): Template[] {
  return Object.entries(catalogue.others)
    .toSorted(([one], [other]) => other.length - one.length)
    .map(([key, words]) => {
      const literals = key
        .split(/\{\d\}/)
        .map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
      // Whatever begins a clause, it is nothing of the sentence before.
      const place = key.startsWith("{") ? "((?:(?!\\.(?: |$))[^])*?)" : "([^]*?)";
      return { pattern: new RegExp(`^${literals.join(place)}$`), words };
    });
}

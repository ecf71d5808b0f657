import { allTexts, partsOf } from "./texts.ts";
import portuguese from "../../src/text/pt-BR/index.ts";
import { type Language, LANGUAGE_NAMES, translate } from "../../src/text/languages.ts";
import { isMessage, type Message } from "../../src/text/message.ts";

/** Matches a message by its words in each of the given languages: a text, or a matcher such as `expect.any(String)`. */
export function inWords(expected: Partial<Readonly<Record<Language, unknown>>>): Message {
  const wanted = LANGUAGE_NAMES.filter((language) => language in expected);
  const matcher = {
    $$typeof: Symbol.for("jest.asymmetricMatcher"),
    asymmetricMatch: (actual: unknown): boolean =>
      isMessage(actual) &&
      wanted.every((language) => matches(translate(actual, language), expected[language])),
    toString: () => "inWords",
    toAsymmetricMatcher: () => `inWords(${wanted.map((name) => String(expected[name])).join()})`,
  };
  return matcher as unknown as Message;
}

function matches(text: string, expected: unknown): boolean {
  if (typeof expected === "string") return text === expected;
  return (expected as { asymmetricMatch(text: string): boolean }).asymmetricMatch(text);
}

/** The words of a message, if there is one. */
export function wordsOf(message: Message, language?: Language): string;
export function wordsOf(message: Message | undefined, language?: Language): string | undefined;
export function wordsOf(message: Message | undefined, language: Language = "en") {
  return message && translate(message, language);
}

/** The longer parts of the English texts that the catalogues translate: what output in another language lacks. */
export const englishParts = (): readonly string[] => (parts ??= findParts());
let parts: readonly string[] | undefined;

function findParts(): readonly string[] {
  // Commands are the same in each language.
  const translated = Object.values<unknown>(portuguese).map(String).join("\n");
  return partsOf(allTexts())
    .map((part) => part.trim())
    .filter((part) => /[a-z]+ [a-z]+ [a-z]+/i.test(part) && !translated.includes(part));
}

/** The parts of English texts in what is shown, wherever its lines are broken. */
export function englishIn(shown: string): readonly string[] {
  const line = shown.replace(/\s+/g, " ");
  return englishParts().filter((part) => line.includes(part.replace(/\s+/g, " ")));
}

/** A complete catalogue of a language that nobody speaks: English with accents. */
export function pseudoCatalogue(): Readonly<Record<string, string>> {
  return Object.fromEntries(allTexts().map(({ key, template }) => [key, withAccents(template)]));
}

function withAccents(text: string): string {
  return text.replace(/[aeiou]/gi, (vowel) => `${vowel}\u0301`.normalize("NFC"));
}

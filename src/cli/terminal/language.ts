import {
  type Language as CoreLanguage,
  findLanguage,
  LANGUAGE_OPTIONS,
  LANGUAGE_TAGS,
  LANGUAGES as ROWS,
  loadLanguages,
  translate,
} from "../../text/languages.ts";
import { isMessage, type Message } from "../../text/message.ts";

/** The languages of the command line. The gateway's responses follow the assumption `error.language` instead. */
export const LANGUAGES = LANGUAGE_TAGS;
export type Language = (typeof LANGUAGES)[number];

let current: Language = "en";
let chosen: Language = "en";

/** Sets the language of {@link localize}, and of what the user writes. `main` calls it at the start of each run. */
export function setLanguage(language: Language): void {
  current = chosen = language;
}

/** Makes {@link localize} English, for programs: amounts are still read in the chosen language. */
export function speakEnglish(): void {
  current = "en";
}

/** The language in which the user writes amounts. */
export function chosenLanguage(): Language {
  return chosen;
}

/** The current language's name in the core. */
export function coreLanguage(): CoreLanguage {
  return findLanguage(current) ?? "en";
}

/** Calls a synchronous function in another language. */
export function inLanguage<Result>(language: Language, call: () => Result): Result {
  const previous = current;
  current = language;
  try {
    return call();
  } finally {
    current = previous;
  }
}

/** The language that `--lang`, `PIX_SANDBOX_LANG` or the system's locale selects, in this order. */
export function languageOf(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Language {
  const flags = args.map((arg, index) =>
    arg === "--lang" ? args[index + 1] : /^--lang=(.*)$/.exec(arg)?.[1],
  );
  const given = flags.findLast((flag) => flag !== undefined) || env["PIX_SANDBOX_LANG"];
  const locale = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  // Commander refuses an unknown language.
  const known = LANGUAGE_OPTIONS.find((one) => one === given);
  return ROWS[findLanguage(known ?? locale) ?? "en"].tag;
}

/** Loads the texts of a language, which must happen before they are shown. */
export async function loadLanguage(language: Language): Promise<void> {
  await loadLanguages([findLanguage(language) ?? "en"]);
}

/** What a command prints: a message, or a text that is in no language or already in the current one. */
export type Words = Message | string;

/** A text in the current language. */
export function localize(text: Words): string {
  return typeof text === "string" ? text : translate(text, coreLanguage());
}

/** A zod error message in the language at the time of the check. */
export function zodMessage(text: Message): ZodMessage {
  return { error: () => localize(text) };
}

interface ZodMessage {
  readonly error: () => string;
}

/** The message of an error in the current language. */
export function textOf(error: Error & { readonly text?: unknown }): string {
  return isMessage(error.text) ? localize(error.text) : error.message;
}

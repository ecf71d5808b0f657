import { effect, signal } from "@preact/signals";
import type { Message } from "../../text/message.ts";
import {
  findLanguage,
  type Language,
  LANGUAGE_NAMES,
  LANGUAGES,
  translate,
} from "../../text/languages.ts";

const KEY = "pix-sandbox-language";

/** The page's language: the user's choice, else the system's. */
export const language = signal<Language>(chosen() ?? findLanguage(navigator.language) ?? "en");

effect(() => {
  document.documentElement.lang = locale();
});

/** Sets the language, and remembers it. */
export function chooseLanguage(choice: Language): void {
  language.value = choice;
  localStorage.setItem(KEY, choice);
}

/** A text in the page's language. */
export function t(text: Message): string {
  return translate(text, language.value);
}

/** The locale of numbers and times. */
export function locale(): string {
  return LANGUAGES[language.value].tag;
}

function chosen(): Language | undefined {
  const stored = localStorage.getItem(KEY);
  return LANGUAGE_NAMES.find((one) => one === stored);
}

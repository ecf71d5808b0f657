import { effect, signal } from "@preact/signals";
import type { Language, LocalizedText } from "../../text/localized-text.ts";

const KEY = "pix-sandbox-language";

/** The page's language: the user's choice, else the system's. */
export const language = signal<Language>(chosen() ?? systemLanguage());

effect(() => {
  document.documentElement.lang = language.value === "pt" ? "pt-BR" : "en";
});

/** Sets the language, and remembers it. */
export function chooseLanguage(choice: Language): void {
  language.value = choice;
  localStorage.setItem(KEY, choice);
}

/** A text in the page's language. */
export function t(text: LocalizedText): string {
  return text[language.value];
}

/** The locale of numbers and times. */
export function locale(): string {
  return language.value === "pt" ? "pt-BR" : "en-US";
}

function chosen(): Language | undefined {
  const stored = localStorage.getItem(KEY);
  return stored === "en" || stored === "pt" ? stored : undefined;
}

function systemLanguage(): Language {
  return /^pt\b/i.test(navigator.language) ? "pt" : "en";
}

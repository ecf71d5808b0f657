import type { LocalizedText } from "../text/localized-text.ts";

/** The usual mistakes of programs that receive webhooks. */
export type Mistake =
  | "missing_header"
  | "malformed_header"
  | "empty_body"
  | "body_changed"
  | "wrong_content"
  | "secret_not_decoded"
  | "secret_with_quotes_or_blanks"
  | "wrong_secret"
  | "stale_timestamp"
  | "future_timestamp";

/** Why a webhook is not valid. */
export interface Flaw {
  readonly mistake: Mistake;
  readonly text: LocalizedText;
}

/** A text that is the same in each language. */
export function untranslated(text: string): LocalizedText {
  return { en: text, pt: text };
}

/** "a", "a and b", "a, b and c". */
export function list(words: readonly string[]): LocalizedText {
  if (words.length < 2) return untranslated(words.join(""));
  const first = words.slice(0, -1).join(", ");
  return { en: `${first} and ${words.at(-1)}`, pt: `${first} e ${words.at(-1)}` };
}

/** Several sentences as one text. */
export function joinSentences(sentences: readonly LocalizedText[]): LocalizedText {
  return {
    en: sentences.map(({ en }) => en).join(" "),
    pt: sentences.map(({ pt }) => pt).join(" "),
  };
}

/** How many characters of a header are quoted. */
const MAX_QUOTED = 80;

export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}

/** An approximate duration: "90 s", "5 min", "3 h", "2 days". */
export function toDuration(seconds: number): LocalizedText {
  if (seconds < 120) return untranslated(`${seconds} s`);
  if (seconds < 2 * 3600) return untranslated(`${Math.round(seconds / 60)} min`);
  if (seconds < 2 * 86_400) return untranslated(`${Math.round(seconds / 3600)} h`);
  const days = Math.round(seconds / 86_400);
  return { en: `${days} days`, pt: `${days} dias` };
}

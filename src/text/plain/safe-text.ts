/**
 * Control characters except tab and newline, and characters that are invisible or change the direction of text. A
 * zero-width joiner between two emoji is safe: it makes them one, such as a family.
 */
/* oxlint-disable no-control-regex -- this file handles control characters. */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\u200d(?!\p{Extended_Pictographic})|\u200d(?<!\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?\u200d)/gu;

/** Makes control characters visible, so that a terminal prints text from outside but does not execute it. */
export function toSafeText(text: string): string {
  return text.replace(UNSAFE, escapeUnit);
}

/** Like {@link toSafeText}, on one line. */
export function toSafeLine(text: string): string {
  return toSafeText(text).replace(/[\n\t]/g, escapeUnit);
}

/** JSON of the same value that is safe to print. */
export function toSafeJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, escapeUnit);
}

/** A UTF-16 code unit as JSON can write any. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

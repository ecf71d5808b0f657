/** Controls except tab and newline, the C1 controls, and what turns the direction of text or hides in it. */
/* oxlint-disable no-control-regex -- control characters are what this is for. */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** Text from outside with its control characters made visible: a terminal shows it and obeys none of it. */
export function toSafeText(text: string): string {
  return text.replace(UNSAFE, escape);
}

/** The same on one line. */
export function toSafeLine(text: string): string {
  return toSafeText(text).replace(/[\n\t]/g, escape);
}

/** JSON that holds the same value and is as safe to print. */
export function toSafeJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

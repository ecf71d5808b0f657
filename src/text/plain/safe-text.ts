/**
 * Control characters except tab and newline, and characters that are invisible or change the direction of text. A
 * zero-width joiner between two emoji is safe: it makes them one, such as a family.
 */
/* oxlint-disable no-control-regex -- this file handles control characters. */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\u200d(?!\p{Extended_Pictographic})|\u200d(?<!\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?\u200d)/gu;

/**
 * Text from outside as people see it: control characters are visible, so that a terminal prints them but does not
 * execute them, and secrets in addresses are masked.
 */
export function toSafeText(text: string): string {
  return maskAddresses(text).replace(UNSAFE, escapeUnit);
}

/** Like {@link toSafeText}, on one line. */
export function toSafeLine(text: string): string {
  return toVisibleLine(maskAddresses(text));
}

/** A text on one line with its control characters visible. Nothing is masked: it works as a part of a command. */
export function toVisibleLine(text: string): string {
  return text.replace(UNSAFE, escapeUnit).replace(/[\n\t]/g, escapeUnit);
}

/** Replaces by `***` the passwords in the addresses of a text, and the values of parameters that are secrets. */
export function maskAddresses(text: string): string {
  return text.replace(PASSWORD, "$1***").replace(SECRET_PARAMETER, "$1***");
}

// In JSON, PHP writes "/" as "\/", and Go "&" as "\u0026".
const PASSWORD = /(:(?:\\?\/){2}[^\s/?#:@"<>\\]*:)[^\s/?#"<>\\]+(?=@)/g;
const SECRET_PARAMETER =
  /((?:[?&]|\\u0026)(?:token|key|secret|password|api_key|access_token|x-api-token)=)[^\s&#"'<>\\]+/gi;

/** JSON of the same value that is safe to print. */
export function toSafeJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, escapeUnit);
}

/** A UTF-16 code unit as JSON can write any. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A text as one word of a POSIX shell, quoted only if it needs it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quotedWord(text);
}

/** A text as one quoted word of a POSIX shell. */
export function quotedWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * A text as one quoted word that a terminal can print on one line. Control characters need `$'…'`, which bash and
 * zsh read.
 */
export function printableWord(text: string): string {
  if (toVisibleLine(text) === text) return quotedWord(text);
  const escaped = text.replaceAll("\\", String.raw`\\`).replaceAll("'", String.raw`\'`);
  return `$'${toVisibleLine(escaped)}'`;
}

import { toVisibleLine } from "./safe-text.ts";

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

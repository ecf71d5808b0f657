/**
 * Reads a URL; undefined for a text that is none. Not with `URL.canParse`: Node.js 20 refuses addresses with letters
 * such as "ç" and "ü" once the call is compiled, after some thousand calls.
 */
export function toUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

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

/** The addresses of a sandbox's own webhook receiver begin with this path; a name follows. */
export const SINK_PATH = "/_sandbox/sink/";

/** Whether webhooks to this address go to a sandbox's own receiver, which is no merchant. */
export function isSinkUrl(url: string): boolean {
  return url.includes(SINK_PATH);
}

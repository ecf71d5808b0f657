export const VERSION = "0.1.0";

/**
 * Marks the gateway calls of the sandbox's own commands and of the test API, such as `payin create`: they are not the
 * merchant's, so the reviewer does not judge them.
 */
export const OWN_CLIENT_HEADER = "x-sandbox-client";

/** The header of a response with a page: the number of rows of the whole list. */
export const TOTAL_HEADER = "x-total-count";

/** The environment variables that configure a program to call the sandbox as an integration. */
export const VARIABLES = [
  "PIX_SANDBOX_URL",
  "PIX_SANDBOX_BASE_URL",
  "PIX_SANDBOX_SECRET",
  "PIX_SANDBOX_TOKEN",
] as const;

export type Environment = Readonly<Record<(typeof VARIABLES)[number], string>>;

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

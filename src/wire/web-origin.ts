import { toUrl } from "./url.ts";

/**
 * Reads an origin, such as `http://localhost:5173` or `capacitor://localhost`.
 * @returns the origin as browsers send it; undefined for any other text, such as one with a path or a pattern.
 */
export function toOrigin(text: string): string | undefined {
  const url = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@\\*]+\/?$/i.test(text) ? toUrl(text) : undefined;
  if (!url) return undefined;
  const { origin, protocol, host } = url;
  // `URL` gives an origin only for the web's own schemes.
  return origin === "null" ? `${protocol}//${host.toLowerCase()}` : origin;
}

/**
 * Reads an origin, such as `http://localhost:5173` or `capacitor://localhost`.
 * @returns it as browsers send it, or undefined for any other text: one with a path, or a pattern.
 */
export function toOrigin(text: string): string | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\/[^\s/?#@\\*]+\/?$/i.test(text) || !URL.canParse(text))
    return undefined;
  const { origin, protocol, host } = new URL(text);
  // URL knows the origins of the web's own schemes alone.
  return origin === "null" ? `${protocol}//${host.toLowerCase()}` : origin;
}

let last: URL | undefined;
let lastText = "";

/** Parses a URL, which must not be changed. Each attempt needs it in several places, so the last one is stored. */
export function parseUrl(text: string): Readonly<URL> {
  if (last === undefined || text !== lastText) {
    last = new URL(text);
    lastText = text;
  }
  return last;
}

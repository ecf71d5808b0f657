/** A request's target, before anything in it is resolved or decoded. */
export interface Target {
  /** Host and port of an absolute target, as proxies send it; undefined in a path. */
  readonly authority: string | undefined;
  /** Without its query. */
  readonly path: string;
}

/** Parses a request's target; undefined if it is neither a path nor an HTTP address. */
export function parseTarget(text: string): Target | undefined {
  if (text.startsWith("/") || text === "*") return { authority: undefined, path: pathOf(text) };
  const [, authority, rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(text) ?? [];
  return authority === undefined ? undefined : { authority, path: pathOf(rest) };
}

function pathOf(text: string): string {
  const query = text.indexOf("?");
  return query === -1 ? text : text.slice(0, query);
}

/**
 * Whether a path is the canonical one of its route. Another spelling could pass a check of the path as it is
 * sent, such as a proxy's, and reach a route that the check forbids.
 */
export function isCanonical(path: string): boolean {
  return !NOT_CANONICAL.test(path);
}

/** Empty and dot segments, backslashes, a fragment, and escapes of letters, digits and `-._~`. */
const NOT_CANONICAL =
  /\/\/|\/\.\.?(?:\/|$)|[\\#]|%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i;

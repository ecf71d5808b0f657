/** The method and the path of a route's key: control routes, such as `POST /payins/{id}/pay`, stand below `/_sandbox`. */
export function splitKey(key: string): { readonly method: string; readonly path: string } {
  const [method = "", path = ""] = key.split(" ");
  return { method, path: /^\/v[12]\//.test(path) ? path : `/_sandbox${path}` };
}

/**
 * The method and path of a call, and its body, from the values that a caller sets for a route's path, query and body.
 * @throws TypeError for a value of the path that would change it.
 */
export function fillRoute(
  key: string,
  values: Readonly<Record<string, unknown>> = {},
): {
  readonly method: string;
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
} {
  const { method, path } = splitKey(key);
  const rest = new Map(Object.entries(values).filter(([, value]) => value !== undefined));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return toSegment(value);
  });
  const others = Object.fromEntries(rest);
  if (method === "GET") return { method, path: `${filled}${toQuery(others)}` };
  return { method, path: filled, ...(rest.size > 0 && { body: others }) };
}

/**
 * Encodes an id or a name as a segment of a path.
 * @throws TypeError for one that would change the path.
 */
function toSegment(name: unknown): string {
  if (typeof name === "string" && !["", ".", ".."].includes(name)) return encodeURIComponent(name);
  throw new TypeError(
    `An id or a name is a text that is not empty, not ${JSON.stringify(name) ?? String(name)}.`,
  );
}

/** A query string with its question mark; empty without parameters. Undefined values are left out. */
export function toQuery(query: Readonly<Record<string, unknown>>): string {
  // A value of a wrong type is sent as it is: the sandbox refuses it. Without it the filter would select all.
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return "";
  const toText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const texts = Object.fromEntries(given.map(([name, value]) => [name, toText(value)]));
  return `?${new URLSearchParams(texts).toString()}`;
}

/** A page of a list. */
export interface Page<Row> {
  readonly data: readonly Row[];
  /** The id after which the next page starts; null on the last page. */
  readonly next: string | null;
}

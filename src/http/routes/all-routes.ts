import type { Endpoint, Method } from "../definitions/route.ts";
import type { Methods } from "../pipeline/dispatch.ts";

/** The endpoints of paths, whose parameters stand in braces: `/_sandbox/payins/{id}`. */
type Paths = ReadonlyMap<string, Methods>;

/** A gateway call loads only the gateway's routes, and a start no schemas at all. */
const gateway = once(async () => (await import("./gateway.ts")).gatewayRoutes);
const others = once(async () => Object.fromEntries((await import("./table.ts")).ENDPOINTS));

/** The endpoints of a path, and the values of its parameters, still percent-encoded. */
export interface MatchedPath {
  readonly methods: Methods;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds the endpoints of a path, with or without a slash at its end; none if no route has it. */
export async function matchPath(pathname: string): Promise<MatchedPath> {
  const paths = await (/^\/v[12]\//.test(pathname) ? gateway : others)();
  const path = withoutSlash(pathname);
  const matches = [...paths].flatMap(([template, methods]) => {
    const match = patternOf(template).exec(path);
    return match ? [{ methods, parameters: { ...match.groups } }] : [];
  });
  // A path without parameters comes before one with them.
  const own = matches.find(({ parameters }) => Object.keys(parameters).length === 0);
  return own ?? matches[0] ?? NO_MATCH;
}

const NO_MATCH: MatchedPath = { methods: {}, parameters: {} };

const patterns = new Map<string, RegExp>();

/** Matches a route's path, such as `/_sandbox/payins/{id}`. */
function patternOf(template: string): RegExp {
  const known = patterns.get(template);
  if (known) return known;
  const text = withoutSlash(template).replaceAll(".", "\\.");
  const pattern = new RegExp(`^${text.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
  patterns.set(template, pattern);
  return pattern;
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Loads endpoints once, and gathers the methods of each path. Their keys have whole paths. */
function once(load: () => Promise<Readonly<Record<string, Endpoint>>>): () => Promise<Paths> {
  let paths: Map<string, Methods> | undefined;
  return async () => {
    const endpoints = Object.entries(await load());
    if (paths) return paths;
    paths = new Map();
    for (const [key, endpoint] of endpoints) {
      const [method = "", path = ""] = key.split(" ");
      paths.set(path, { ...paths.get(path), [method as Method]: endpoint });
    }
    return paths;
  };
}

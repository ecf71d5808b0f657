import type { Endpoint, Method } from "../definitions/route.ts";
import type { Methods } from "../pipeline/dispatch.ts";

/** The endpoints of a path, and the values of its parameters, still percent-encoded. */
interface MatchedPath {
  readonly methods: Methods;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A gateway call loads only the gateway's routes, and a start no schemas at all. */
const gateway = once(async () => (await import("./gateway.ts")).gatewayRoutes);
const others = once(async () => Object.fromEntries((await import("./table.ts")).ENDPOINTS));

/** Finds the endpoints of a path, with or without a slash at its end; none if no route has it. */
export async function matchPath(pathname: string): Promise<MatchedPath> {
  const paths = await (/^\/v[12]\//.test(pathname) ? gateway : others)();
  const path = withoutSlash(pathname);
  for (const { pattern, methods } of paths) {
    const match = pattern.exec(path);
    if (match) return { methods, parameters: { ...match.groups } };
  }
  return { methods: {}, parameters: {} };
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

interface Path {
  readonly pattern: RegExp;
  readonly methods: Methods;
}

/** Loads endpoints once, and gathers the methods of each path. Their keys have whole paths. */
function once(load: () => Promise<Readonly<Record<string, Endpoint>>>): () => Promise<Path[]> {
  let paths: Promise<Path[]> | undefined;
  return () => (paths ??= load().then(toPaths));
}

function toPaths(endpoints: Readonly<Record<string, Endpoint>>): Path[] {
  const paths = new Map<string, Methods>();
  for (const [key, endpoint] of Object.entries(endpoints)) {
    const [method = "", path = ""] = key.split(" ");
    paths.set(path, { ...paths.get(path), [method as Method]: endpoint });
  }
  // A path without parameters comes before one with them.
  const sorted = [...paths].toSorted(
    ([one], [other]) => Number(one.includes("{")) - Number(other.includes("{")),
  );
  return sorted.map(([path, methods]) => {
    const text = withoutSlash(path).replaceAll(".", "\\.");
    return { pattern: new RegExp(`^${text.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`), methods };
  });
}

import type { Methods } from "../pipeline/dispatch.ts";
import type { Endpoint, Route } from "../definitions/route.ts";

/** Loads a file that defines routes or pages. */
export type RouteFile = () => Promise<{
  readonly routes?: readonly Route[];
  readonly pages?: readonly Endpoint[];
}>;

const payins: RouteFile = () => import("./payins.ts");
const clock: RouteFile = () => import("./clock.ts");
const deliveries: RouteFile = () => import("./deliveries.ts");
const snapshots: RouteFile = () => import("./snapshots.ts");
const inspector: RouteFile = () => import("../pages/inspector.ts");
const health: RouteFile = () => import("./health.ts");
const integrations: RouteFile = () => import("./integrations.ts");

/**
 * The files that define the routes, by the first two segments of their paths. Each is loaded at its first
 * call, so that a start does not load schemas.
 */
const FILES: Readonly<Record<string, RouteFile>> = {
  "/v1/payins": payins,
  "/v2/payins": payins,
  "/v1/payouts": () => import("./payouts.ts"),
  "/v1/webhooks": () => import("./webhook-configuration.ts"),
  "/": inspector,
  "/_sandbox": inspector,
  "/_sandbox/": inspector,
  "/_sandbox/inspector.js": inspector,
  "/_sandbox/inspector.css": inspector,
  "/_sandbox/qr.svg": inspector,
  "/_sandbox/payins": () => import("./payin-records.ts"),
  "/_sandbox/pay": () => import("./pay.ts"),
  "/_sandbox/payouts": () => import("./payout-records.ts"),
  "/_sandbox/deliveries": deliveries,
  "/_sandbox/sink": () => import("./sink.ts"),
  "/_sandbox/wait": () => import("./wait.ts"),
  "/_sandbox/events": () => import("./events.ts"),
  "/_sandbox/clock": clock,
  "/_sandbox/settle": clock,
  "/_sandbox/snapshots": snapshots,
  "/_sandbox/reset": snapshots,
  "/_sandbox/faults": () => import("./faults.ts"),
  "/_sandbox/report": () => import("./report.ts"),
  "/_sandbox/trace": inspector,
  "/_sandbox/requests": () => import("./requests.ts"),
  "/_sandbox/assumptions": () => import("./assumptions.ts"),
  "/_sandbox/integrations": integrations,
  "/_sandbox/secret": integrations,
  "/_sandbox/env": integrations,
  "/_sandbox/about": () => import("./about.ts"),
  "/_sandbox/health": health,
  "/_sandbox/ready": health,
  "/_sandbox/openapi.json": () => import("./openapi.ts"),
};

/** The file that defines the routes at a path; undefined if there is none. */
export function routeFileOf(path: string): RouteFile | undefined {
  const prefix = path.split("/", 3).join("/");
  return Object.hasOwn(FILES, prefix) ? FILES[prefix] : undefined;
}

/** Loads a file: the endpoints of each of its paths. */
async function methodsByPath(load: RouteFile): Promise<ReadonlyMap<string, Methods>> {
  const { routes = [], pages = [] } = await load();
  const paths = new Map<string, Methods>();
  for (const endpoint of [...routes, ...pages])
    paths.set(endpoint.path, { ...paths.get(endpoint.path), [endpoint.method]: endpoint });
  return paths;
}

/** The endpoints of a path, and the values of its parameters, still percent-encoded. */
export interface MatchedPath {
  readonly methods: Methods;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds the endpoints of a path, with or without a slash at its end; none if no route has it. */
export async function matchPath(pathname: string): Promise<MatchedPath> {
  const load = routeFileOf(pathname);
  if (!load) return NO_MATCH;
  const path = withoutSlash(pathname);
  const matches = [...(await methodsByPath(load))].flatMap(([template, methods]) => {
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

/** Every route, in the order of the files. */
export async function allRoutes(): Promise<readonly Route[]> {
  return (await allFiles()).flatMap(({ routes = [] }) => routes);
}

/** Every page, in the order of the files. */
export async function allPages(): Promise<readonly Endpoint[]> {
  return (await allFiles()).flatMap(({ pages = [] }) => pages);
}

async function allFiles(): Promise<readonly Awaited<ReturnType<RouteFile>>[]> {
  return Promise.all([...new Set(Object.values(FILES))].map((load) => load()));
}

import { splitKey } from "../../wire/route-key.ts";
import { inspectorPages } from "../pages/inspector.ts";
import { payerPages } from "../pages/pay.ts";
import type { Endpoint, Route } from "../definitions/route.ts";
import { clockRoutes } from "./clock.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { eventRoutes } from "./events.ts";
import { faultRoutes } from "./faults.ts";
import { gatewayRoutes } from "./gateway.ts";
import { recordRoutes } from "./records.ts";
import { sandboxRoutes } from "./sandbox.ts";
import { snapshotRoutes } from "./snapshots.ts";

/** Every route of the API by its key, in the groups of the document. */
export const GROUPS = {
  Gateway: gatewayRoutes,
  Records: recordRoutes,
  Webhooks: { ...deliveryRoutes, ...eventRoutes },
  Clock: clockRoutes,
  Faults: faultRoutes,
  Sandbox: { ...snapshotRoutes, ...sandboxRoutes },
};

/** Every route and page, by its method and whole path: `GET /_sandbox/payins`. Pages are not part of the API. */
export const ENDPOINTS: readonly (readonly [key: string, endpoint: Endpoint])[] = [
  ...Object.values(GROUPS).flatMap((group) =>
    Object.entries<Endpoint>(group).map(([key, route]) => {
      const { method, path } = splitKey(key);
      return [`${method} ${path}`, route] as const;
    }),
  ),
  ...Object.entries({ ...inspectorPages, ...payerPages }),
];

export type { Settings } from "../schemas/sandbox.ts";

type Groups = typeof GROUPS;
type Routes = Groups["Gateway"] &
  Groups["Records"] &
  Groups["Webhooks"] &
  Groups["Clock"] &
  Groups["Faults"] &
  Groups["Sandbox"];

/** The key of a route, by which clients name it: `POST /payins/{id}/pay`. */
export type RouteKey = keyof Routes;

/** The body of a 200. */
export type AnswerOf<Key extends RouteKey> = Routes[Key] extends Route<infer Value> ? Value : never;

/** What a caller of the route can set: the values of its path, its query and its body. */
export type ValuesOf<Key extends RouteKey> = {
  readonly [Name in PathName<Key> | NameOf<Routes[Key]>]?: unknown;
};

type NameOf<One> = One extends Route<unknown, infer Name> ? Name : never;
type PathName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathName<Rest>
  : never;

// The routes as plain values: the server defines their handlers, and the clients call them, without its schemas.
import type { AssumptionRow } from "../assumptions/table.ts";
import type { Environment } from "../../wire/names.ts";
import type { WirePayin } from "../records/payin.ts";
import type { WirePayout } from "../records/payout.ts";
import { type Filters, PAYIN_FILTERS, PAYOUT_FILTERS } from "./filters.ts";
import type {
  WireAbout,
  WireDelivery,
  WireFault,
  WireReadiness,
  WireRequest,
  WireSnapshot,
} from "./wire.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * The address of a route. `Response` is the body of a 200; `Name` are the names that a request can set: the path's
 * parameters, the query's, and the members of the body.
 */
export interface WireRoute<out Response = unknown, out Name extends string = string> {
  readonly method: Method;
  /** Parameters stand in braces: `/_sandbox/payins/{id}`. */
  readonly path: string;
  /** The names of the query's parameters. */
  readonly query: readonly string[];
  /** Only for types. */
  readonly types?: { readonly response: Response; readonly name: Name };
}

/** The body of a 200. */
export type ResponseOf<Route> = Route extends WireRoute<infer Response> ? Response : never;

/** What a request sets: its path's parameters and its query; every other value is a member of its body. */
export type RequestValues<Name extends string = string> = { readonly [K in Name]?: unknown };

export interface Page<Row> {
  readonly data: readonly Row[];
  /** The id after which the next page starts; null on the last page. */
  readonly next: string | null;
}

/** The sandbox's time, and what moving it has caused. */
export interface WireClock {
  readonly now: string;
  readonly mode: string;
  readonly happened: readonly WireTimedEvent[];
}

export interface WireTimedEvent {
  readonly at: string;
  readonly kind: string;
  readonly data: unknown;
}

export interface WireReset {
  /** Null for all integrations. */
  readonly integration: string | null;
  readonly now: string;
  readonly mode: string;
}

/** A webhook that the sandbox's own receiver got. */
export interface ReceivedWebhook {
  readonly id: string;
  readonly webhook_id: string | null;
  readonly sandbox_at: string;
  readonly type: string | null;
  readonly transaction_id: string | null;
  readonly verified: boolean;
  readonly message: string | null;
}

/** The parameter names of a path. */
type PathName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathName<Rest>
  : never;

/** Declares a route that responds with `Response`, and takes a body with the members `Body`. */
function responding<Response, Body extends string = never>() {
  return <const Path extends string, const Parameter extends string = never>(
    method: Method,
    path: Path,
    query: readonly Parameter[] = [],
  ): WireRoute<Response, PathName<Path> | Parameter | Body> & { readonly path: Path } => ({
    method,
    path,
    query,
  });
}

const PAGE_QUERY = ["limit", "after", "before", "order", "prefix"] as const;

function namesOf<All extends Filters>(filters: All): (keyof All & string)[] {
  return Object.keys(filters);
}

const DELIVERY_QUERY = ["status", "type", "transaction_id"] as const;

const payinPage = responding<Page<WirePayin>>();
const payin = responding<WirePayin>();
export const LIST_PAYINS = payinPage("GET", "/_sandbox/payins", [
  ...PAGE_QUERY,
  ...namesOf(PAYIN_FILTERS),
]);
export const SHOW_PAYIN = payin("GET", "/_sandbox/payins/{id}");
export const PAY_PAYIN = payin("POST", "/_sandbox/payins/{id}/pay");
export const CANCEL_PAYIN = payin("POST", "/_sandbox/payins/{id}/cancel");
export const EXPIRE_PAYIN = payin("POST", "/_sandbox/payins/{id}/expire");
export const PAY_CODE = responding<WirePayin, "code">()("POST", "/_sandbox/pay");

const payout = responding<WirePayout>();
export const LIST_PAYOUTS = responding<Page<WirePayout>>()("GET", "/_sandbox/payouts", [
  ...PAGE_QUERY,
  ...namesOf(PAYOUT_FILTERS),
]);
export const SHOW_PAYOUT = payout("GET", "/_sandbox/payouts/{id}");
export const COMPLETE_PAYOUT = payout("POST", "/_sandbox/payouts/{id}/complete");
export const CANCEL_PAYOUT = payout("POST", "/_sandbox/payouts/{id}/cancel");

const deliveries = responding<Page<WireDelivery>>();
const delivery = responding<WireDelivery>();
export const LIST_DELIVERIES = deliveries("GET", "/_sandbox/deliveries", [
  ...DELIVERY_QUERY,
  ...PAGE_QUERY,
]);
export const RESEND_DELIVERIES = deliveries("POST", "/_sandbox/deliveries/resend", DELIVERY_QUERY);
export const SHOW_DELIVERY = delivery("GET", "/_sandbox/deliveries/{id}");
export const RESEND_DELIVERY = delivery("POST", "/_sandbox/deliveries/{id}/resend");
export const WAIT = delivery("GET", "/_sandbox/wait", [
  "type",
  "id",
  "transaction_id",
  "timeout_ms",
]);
export const LIST_SINK = responding<Page<ReceivedWebhook>>()("GET", "/_sandbox/sink", [
  ...PAGE_QUERY,
  "sink",
]);

const clock = responding<WireClock>();
export const SHOW_CLOCK = clock("GET", "/_sandbox/clock");
export const FREEZE_CLOCK = clock("POST", "/_sandbox/clock/freeze");
export const RESUME_CLOCK = clock("POST", "/_sandbox/clock/resume");
export const ADVANCE_CLOCK = responding<WireClock, "seconds">()("POST", "/_sandbox/clock/advance");
export const SET_CLOCK = responding<WireClock, "now">()("POST", "/_sandbox/clock/set");

const fault = responding<WireFault>();
export const LIST_FAULTS = responding<Page<WireFault>>()("GET", "/_sandbox/faults", PAGE_QUERY);
export const CREATE_FAULT = responding<
  WireFault,
  "on" | "effect" | "match" | "times" | "probability"
>()("POST", "/_sandbox/faults");
export const CLEAR_FAULTS = responding<Page<WireFault>>()("DELETE", "/_sandbox/faults");
export const SHOW_FAULT = fault("GET", "/_sandbox/faults/{id}");
export const REMOVE_FAULT = fault("DELETE", "/_sandbox/faults/{id}");
export const RELEASE_FAULT = responding<WireFault>()("POST", "/_sandbox/faults/{id}/release");

const snapshot = responding<WireSnapshot>();
export const LIST_SNAPSHOTS = responding<Page<WireSnapshot>>()("GET", "/_sandbox/snapshots");
export const SAVE_SNAPSHOT = snapshot("PUT", "/_sandbox/snapshots/{name}");
export const RESTORE_SNAPSHOT = snapshot("POST", "/_sandbox/snapshots/{name}/restore");
export const DELETE_SNAPSHOT = responding()("DELETE", "/_sandbox/snapshots/{name}");
export const RESET = responding<WireReset>()("POST", "/_sandbox/reset");

export const LIST_REQUESTS = responding<Page<WireRequest>>()(
  "GET",
  "/_sandbox/requests",
  PAGE_QUERY,
);
export const LIST_ASSUMPTIONS = responding<Page<AssumptionRow>>()("GET", "/_sandbox/assumptions");
const secretAndSeed = responding<{ readonly secret: string; readonly seed: string }>();
export const SHOW_SECRET = secretAndSeed("GET", "/_sandbox/secret");
export const SHOW_ENVIRONMENT = responding<Environment>()("GET", "/_sandbox/env");
export const SHOW_ABOUT = responding<WireAbout>()("GET", "/_sandbox/about");
export const SHOW_READINESS = responding<WireReadiness>()("GET", "/_sandbox/ready");
export const SHOW_HEALTH = responding<{ readonly version: string }>()("GET", "/_sandbox/health");

export const SHOW_NEXT_TASK = responding()("GET", "/_sandbox/clock/next");
export const SETTLE = responding()("POST", "/_sandbox/settle");
export const READ_EVENTS = responding()("GET", "/_sandbox/events", ["stream", "since"]);
export const RECEIVE_IN_SINK = responding()("POST", "/_sandbox/sink/{sink}");
export const CHANGE_ASSUMPTIONS = responding()("PATCH", "/_sandbox/assumptions");
export const LIST_INTEGRATIONS = responding()("GET", "/_sandbox/integrations");
export const SHOW_OPENAPI = responding()("GET", "/_sandbox/openapi.json");
export const SHOW_REPORT = responding()("GET", "/_sandbox/report", ["format", "final"]);
export const CLEAR_REPORT = responding()("DELETE", "/_sandbox/report");
export const LIST_RULES = responding()("GET", "/_sandbox/report/rules");

/** The members of a body that creates a payin or a payout. */
type Draft = "value" | "description" | "webhook_url";
type PayinDraft =
  | Draft
  | "buyer_cpf"
  | "buyer_name"
  | "buyer_email"
  | "generate_qrcode"
  | "expiration";
type PayoutDraft =
  | Draft
  | "receiver_cpf"
  | "receiver_name"
  | "receiver_email"
  | "pix_key"
  | "pix_key_type";
type Simulation = "transaction_id" | "status";
const payinDraft = responding<{ readonly id: string }, PayinDraft>();
export const CREATE_PAYIN = payinDraft("POST", "/v1/payins");
export const CREATE_PAYIN_V2 = payinDraft("POST", "/v2/payins");
export const CREATE_PAYOUT = responding<{ readonly id: string }, PayoutDraft>()(
  "POST",
  "/v1/payouts",
);
export const SIMULATE_PAYIN = responding<unknown, Simulation>()("POST", "/v1/payins/simulations");
export const SIMULATE_PAYOUT = responding<unknown, Simulation>()("POST", "/v1/payouts/simulations");
const configuration = responding<{ readonly events: readonly string[] }>();
export const SHOW_WEBHOOK_CONFIGURATION = configuration("GET", "/v1/webhooks");
export const CONFIGURE_WEBHOOKS = configuration("PUT", "/v1/webhooks");

/** The path with its query, and the body of a call, from the values that a caller sets. */
export function fillRoute(
  { path, query }: WireRoute,
  values: RequestValues,
): { readonly path: string; readonly body?: Readonly<Record<string, unknown>> } {
  const rest = new Map(Object.entries(values).filter(([, value]) => value !== undefined));
  const take = (name: string): unknown => {
    const value = rest.get(name);
    rest.delete(name);
    return value;
  };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(take(name))),
  );
  const parameters = toQuery(Object.fromEntries(query.map((name) => [name, take(name)])));
  return {
    path: `${filled}${parameters}`,
    ...(rest.size > 0 && { body: Object.fromEntries(rest) }),
  };
}

/** The parameters of a query; undefined values are left out. */
export type Query = Readonly<Record<string, unknown>>;

/** A query string with its question mark; empty without parameters. */
export function toQuery(query: Query): string {
  // A value of a wrong type is sent as it is: the sandbox refuses it. Without it the filter would select all.
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [[name, typeof value === "string" ? value : JSON.stringify(value)] as const],
  );
  return parameters.length === 0
    ? ""
    : `?${new URLSearchParams(Object.fromEntries(parameters)).toString()}`;
}

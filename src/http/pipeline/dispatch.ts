import { isIP } from "node:net";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { partsOf, patchJson } from "../../core/faults/effects.ts";
import { GatewayError } from "../../core/records/errors.ts";
import { CONTAINER_HOSTS } from "../../core/records/webhook-url.ts";
import { StorageError } from "../../core/state/ports.ts";
import { monotonicNowMs } from "../../platform/real-time.ts";
import { loadLanguages } from "../../text/languages.ts";
import { type Message, say } from "../../text/message.ts";
import {
  type Answer,
  type Call,
  checkToken,
  readHeader,
  readToken,
  requestedLanguage,
  toControlAnswer,
  withHeaders,
} from "../calls/call.ts";
import { HttpRefusal, toErrorAnswer } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import type { Endpoint, Method } from "../definitions/route.ts";

/** The endpoints of one path; none if no route has the path. */
export type Methods = Readonly<Partial<Record<Method, HandledEndpoint>>>;
type HandledEndpoint = Pick<Endpoint, "handle" | "isOpen" | "isOfProcess" | "operation">;

/** Answers a call: the checks that all routes share, then the route; the request log gets the gateway's calls. */
export async function answer(call: Call, methods: Methods, context: Context): Promise<Answer> {
  const startedAt = monotonicNowMs();
  const atMs = context.clock.nowMs();
  // Without its texts the response is in English.
  if (needsLanguages(call, methods, context)) await loadLanguages().catch(context.report);
  let cors: Answer["headers"] | undefined;
  let answered: Answer;
  try {
    cors = checkOrigin(call, context);
    answered =
      cors && call.method === "OPTIONS"
        ? { status: 204, headers: {}, body: null }
        : completed(await run(call, methods, context), call, context);
  } catch (error) {
    answered = refuse(call, error, context);
  }
  answered = withHeaders(withoutBodyOfHead(call.method, answered), cors);
  if (isControl(call)) return toControlAnswer(answered);
  if (answered.outcome?.isLost) call.loseAnswer?.();
  try {
    const operation = methods[call.method as Method]?.operation;
    const durationMs = monotonicNowMs() - startedAt;
    context.requests.log(call, answered, { operation, atMs, durationMs });
    return answered;
  } catch (error) {
    return refuse(call, error, context);
  }
}

/**
 * Refuses requests that a foreign web page could send to a server on this machine: to a host name that was
 * rebound to it (`Host`), or from another origin (`Origin`) or site (`Sec-Fetch-Site`). Adds the host of an accepted
 * request to `reachedHosts`.
 * @returns the CORS headers for a page of an allowed origin; undefined for other callers
 */
function checkOrigin(
  call: Pick<Call, "method" | "headers" | "httpVersion">,
  { allowedHosts, corsOrigins, reachedHosts }: Context,
): Readonly<Record<string, string>> | undefined {
  const host = readHeader(call, "host");
  // HTTP/1.0 does not need it, and no browser leaves it out.
  if (host !== null || call.httpVersion !== "1.0") checkHost(host ?? "", allowedHosts);
  const origin = readHeader(call, "origin");
  const isOwn = origin === null || origin === `http://${host}` || origin === `https://${host}`;
  const isForeign = isOwn
    ? readHeader(call, "sec-fetch-site") === "cross-site" && !READING.has(call.method)
    : !corsOrigins.includes(origin);
  if (isForeign) throw new HttpRefusal(403, FOREIGN_ORIGIN);
  if (host !== null && reachedHosts.size < MAX_REACHED) reachedHosts.add(host.toLowerCase());
  if (isOwn) return undefined;
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": readHeader(call, "access-control-request-headers") ?? "*",
    "access-control-expose-headers":
      "idempotent-replayed, retry-after, x-sandbox-assumption, x-sandbox-magic, x-total-count",
    vary: "origin",
  };
}

const MAX_REACHED = 64;

/** The methods that change nothing: browsers send them for an image or a link on any page. */
const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** @throws HttpRefusal 400 for a malformed host, 403 for one that is not allowed. */
function checkHost(host: string, allowedHosts: readonly string[]): void {
  const [, found = "", port = "0"] =
    /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(?::(\d{1,5}))?$/.exec(host) ?? [];
  const [, address] = /^\[(.*)\]$/.exec(found) ?? [];
  const name = address ?? found.toLowerCase().replace(/\.$/, "");
  const isWrong = name === "" || (address !== undefined && isIP(address) !== 6);
  if (isWrong || Number(port) > 65_535) throw new HttpRefusal(400, MALFORMED_HOST);
  if (!isLocalName(name) && !allowedHosts.includes(name)) {
    const text = say`This sandbox does not accept the host ${name}. To accept it, start the sandbox with --allow-host ${name}.`;
    throw new HttpRefusal(403, text);
  }
}

/** An IP address cannot be rebound, and the public DNS does not resolve these names. */
function isLocalName(name: string): boolean {
  return (
    !name.includes(".") ||
    isIP(name) !== 0 ||
    name.endsWith(".localhost") ||
    CONTAINER_HOSTS.has(name) ||
    name === "host.testcontainers.internal" ||
    name === "host.lima.internal"
  );
}

const MALFORMED_HOST = say`The Host header is malformed.`;
const FOREIGN_ORIGIN = say`This sandbox does not accept calls from pages of another origin. To accept them, start the sandbox with --cors ORIGIN.`;

/** Whether a call is for the sandbox's own routes and pages, rather than for the gateway. */
function isControl({ location }: Call): boolean {
  return location.pathname === "/" || location.pathname.startsWith("/_sandbox");
}

/** Whether the response may be in another language: a start does not wait for the texts. */
function needsLanguages(call: Call, methods: Methods, context: Context): boolean {
  if (isControl(call)) return !methods.GET?.isOfProcess;
  const choice = traceOf(call, context).assumptions["error.language"];
  return (requestedLanguage(call) ?? choice) !== "en";
}

/** Reads the assumptions that are in force for a gateway call. The reviewer learns which were read. */
export function traceOf(call: Call, { gateway, reviewer }: Context): AssumptionTrace {
  if (call.trace) return call.trace;
  const integration = readToken(call);
  const used = reviewer.used.namesOf(integration);
  call.trace = new AssumptionTrace(gateway.assumptionsOf(integration), used);
  if (isVersion2(call)) call.trace.read("payin.v2");
  return call.trace;
}

function isVersion2({ location }: Call): boolean {
  return location.pathname.startsWith("/v2/");
}

function run(call: Call, methods: Methods, context: Context): Answer | Promise<Answer> {
  const method = (call.method === "HEAD" ? "GET" : call.method) as Method;
  const endpoint = methods[method];
  if (!endpoint) throw unknownEndpoint(Object.keys(methods), call);
  const { handle, isOpen = false, isOfProcess = false } = endpoint;
  const { lease, controlToken } = context;
  if (isControl(call)) {
    if (!isOpen) controlToken?.check(call);
    checkToken(call);
  }
  return lease && !isOfProcess
    ? lease.guard(async () => handle(call, context))
    : handle(call, context);
}

function unknownEndpoint(methods: readonly string[], call: Call): HttpRefusal {
  if (methods.length === 0) return new HttpRefusal(404, withOwnRoute(NO_PATH, call));
  const allow = methods.map((one) => (one === "GET" ? "GET, HEAD" : one)).join(", ");
  const text = withOwnRoute(say`This path accepts ${allow}.`, call);
  return new HttpRefusal(405, text, { headers: { allow } });
}

const NO_PATH = say`This path does not exist. The gateway is under /v1, the sandbox's own routes are under /_sandbox.`;

/** Adds the sandbox's own route to read the records that the gateway does not show. */
function withOwnRoute(text: Message, { method, location }: Call): Message {
  const [, records] =
    /^\/v[12](\/pay(?:in|out)s(?:\/(?!simulations$)[\w-]+)?)$/.exec(location.pathname) ?? [];
  if (method !== "GET" || records === undefined) return text;
  return say`${text} To read records, use the sandbox's own route: GET /_sandbox${records}.`;
}

/** The response to a HEAD has no body: an endless stream would never be read. */
function withoutBodyOfHead(method: string, answered: Answer): Answer {
  if (method !== "HEAD" || !(answered.body instanceof ReadableStream)) return answered;
  void answered.body.cancel();
  return { ...answered, body: null };
}

/** The response to a call that failed. */
export function refuse(call: Call, error: unknown, context: Context): Answer {
  if (!(error instanceof GatewayError || error instanceof StorageError)) context.report(error);
  const requested = requestedLanguage(call);
  if (isControl(call)) {
    const choices = context.gateway.assumptionsOf(readToken(call));
    return toErrorAnswer(error, { language: requested ?? choices["error.language"] });
  }
  const trace = traceOf(call, context);
  const choice = trace.read("error.language");
  const form = { language: requested ?? choice, isProblem: isVersion2(call), trace };
  return completed(toErrorAnswer(error, form), call, context);
}

/**
 * Applies a fault to the response of a gateway call, and adds the headers that name what it depends on. Call it after
 * the body is written, since writing the body reads assumptions.
 */
function completed(answered: Answer, { trace, fault }: Call, { explain }: Context): Answer {
  const assumptions = trace?.describe(explain);
  // Nearly every response.
  if (!fault && assumptions === undefined) return answered;
  const { effect, id = null, magic } = fault ?? {};
  const { kind, value } = partsOf(effect ?? "");
  const isLost = kind === "lost_answer";
  // A refused call gets its response.
  const hasActed = effect !== undefined && !(isLost && answered.outcome?.refusal);
  const isPatched = kind === "patch_body" && typeof answered.body === "string";
  return {
    ...answered,
    headers: {
      ...answered.headers,
      ...(assumptions !== undefined && { "x-sandbox-assumption": assumptions }),
      ...(magic && { "x-sandbox-magic": magic.name }),
    },
    body: isPatched ? patchJson(answered.body, value) : answered.body,
    outcome: { ...answered.outcome, ...(hasActed && { fault: { id, effect }, isLost }) },
  };
}

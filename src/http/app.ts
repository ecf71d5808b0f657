import { H3, type H3Event } from "h3";
import { FastResponse } from "srvx";
import { assumptionsFor, namedChoices } from "./assumption-trace.ts";
import type { Context } from "./context.ts";
import { type Answer, type ErrorFormat, setHeaders, toErrorResponse } from "./envelope.ts";
import { GatewayError } from "../core/errors.ts";
import { StorageError } from "../core/ports.ts";
import { monotonicNowMs } from "../platform/real-time.ts";
import { namedMagic } from "./faults.ts";
import { checkToken, readToken } from "./headers.ts";
import { admit } from "./origin.ts";
import { notLoaded, unknownRoute, unreadableBody, wrongMethod } from "./refusals.ts";
import { toLogged } from "./request-log.ts";
import { health } from "./routes/health.ts";
import { isCanonical, readTarget } from "./target.ts";

type Handler = (event: H3Event) => Promise<Response>;
type Methods = Readonly<Partial<Record<"GET" | "POST" | "PUT" | "PATCH" | "DELETE", Handler>>>;

/** The modules of the routes, each loaded at its first request: a start does not pay for what it does not use. */
const MODULES = {
  gateway: () => import("./routes/gateway.ts"),
  control: () => import("./routes/control.ts"),
  deliveries: () => import("./routes/deliveries.ts"),
  events: () => import("./routes/events.ts"),
  clock: () => import("./routes/clock.ts"),
  snapshots: () => import("./routes/snapshots.ts"),
  faults: () => import("./routes/faults.ts"),
  requests: () => import("./routes/requests.ts"),
  openapi: () => import("./routes/openapi.ts"),
};

/**
 * Loads all routes, the gateway's first, so that none has to be loaded when file descriptors have run out.
 * One module after the other: few files are open at once, and requests are answered in between.
 */
export async function loadRoutes({
  closing,
  report,
}: Pick<Context, "closing" | "report">): Promise<void> {
  for (const load of Object.values(MODULES)) {
    if (closing.aborted) return;
    await load().catch((error: unknown) => {
      if (!closing.aborted) report(error);
    });
  }
}

/** Every path that is answered, and how. */
export function routes(context: Context): Readonly<Record<string, Methods>> {
  const gateway = from(MODULES.gateway, context);
  const control = from(MODULES.control, context);
  const deliveries = from(MODULES.deliveries, context);
  const events = from(MODULES.events, context);
  const clock = from(MODULES.clock, context);
  const snapshots = from(MODULES.snapshots, context);
  const faults = from(MODULES.faults, context);
  const requests = from(MODULES.requests, context);
  const openapi = from(MODULES.openapi, context);
  return {
    "/v1/payins": { POST: gateway("createPayin") },
    "/v2/payins": { POST: gateway("createPayin") },
    "/v1/payouts": { POST: gateway("createPayout") },
    "/v1/payins/simulations": { POST: gateway("simulatePayin") },
    "/v1/payouts/simulations": { POST: gateway("simulatePayout") },
    "/v1/webhooks": { PUT: gateway("configureWebhook"), GET: gateway("readWebhook") },

    "/_sandbox/health": { GET: health(context) },
    "/_sandbox/payins": { GET: control("listPayins") },
    "/_sandbox/payins/:id": { GET: control("showPayin") },
    "/_sandbox/payins/:id/pay": { POST: control("movePayin", "pay") },
    "/_sandbox/payins/:id/cancel": { POST: control("movePayin", "cancel") },
    "/_sandbox/payins/:id/expire": { POST: control("movePayin", "expire") },
    "/_sandbox/payouts": { GET: control("listPayouts") },
    "/_sandbox/payouts/:id": { GET: control("showPayout") },
    "/_sandbox/payouts/:id/complete": { POST: control("movePayout", "completed") },
    "/_sandbox/payouts/:id/cancel": { POST: control("movePayout", "canceled") },
    "/_sandbox/deliveries": { GET: deliveries("listDeliveries") },
    "/_sandbox/deliveries/resend": { POST: deliveries("resendDeliveries") },
    "/_sandbox/deliveries/:id": { GET: deliveries("showDelivery") },
    "/_sandbox/deliveries/:id/resend": { POST: deliveries("resendDelivery") },
    "/_sandbox/wait": { GET: deliveries("waitForDelivery") },
    "/_sandbox/settle": { POST: deliveries("settle") },
    "/_sandbox/requests": { GET: requests("listRequests") },
    "/_sandbox/events": { GET: events("streamEvents") },
    "/_sandbox/clock": { GET: clock("showClock") },
    "/_sandbox/clock/advance": { POST: clock("advanceClock") },
    "/_sandbox/clock/set": { POST: clock("setClock") },
    "/_sandbox/clock/freeze": { POST: clock("turnClock", "freeze") },
    "/_sandbox/clock/resume": { POST: clock("turnClock", "resume") },
    "/_sandbox/reset": { POST: snapshots("reset") },
    "/_sandbox/snapshots": { GET: snapshots("listSnapshots") },
    "/_sandbox/snapshots/:name": {
      PUT: snapshots("saveSnapshot"),
      DELETE: snapshots("deleteSnapshot"),
    },
    "/_sandbox/snapshots/:name/restore": { POST: snapshots("restoreSnapshot") },
    "/_sandbox/faults": {
      GET: faults("listFaults"),
      POST: faults("createFault"),
      DELETE: faults("clearFaults"),
    },
    "/_sandbox/faults/:id": {
      GET: faults("showFault"),
      DELETE: faults("removeFault"),
    },
    "/_sandbox/faults/:id/release": { POST: faults("releaseFault") },
    "/_sandbox/assumptions": {
      GET: control("listAssumptions"),
      PATCH: control("changeAssumptions"),
    },
    "/_sandbox/integrations": { GET: control("listIntegrations") },
    "/_sandbox/secret": { GET: control("showSecret") },
    "/_sandbox/env": { GET: control("showEnvironment") },
    "/_sandbox/openapi.json": { GET: openapi("describeRoutes") },
  };
}

/**
 * Names a route by what makes its handler, in a module that is loaded when it is first called. What makes
 * it may take details beside the context.
 */
function from<Module>(load: () => Promise<Module>, context: Context) {
  return <Name extends MakersOf<Module>>(
    name: Name,
    ...details: DetailsOf<Module[Name]>
  ): Handler => {
    let handler: Handler | undefined;
    return async (event) => {
      if (!handler) {
        const module = await load().catch((error: unknown) => {
          context.report(error);
          throw notLoaded();
        });
        const make = module[name] as (context: Context, ...details: unknown[]) => Handler;
        handler = make(context, ...details);
      }
      return handler(event);
    };
  };
}

type MakersOf<Module> = {
  [Name in keyof Module]: Module[Name] extends (context: Context, ...details: never[]) => Handler
    ? Name
    : never;
}[keyof Module];
type DetailsOf<Maker> = Maker extends (context: Context, ...details: infer Details) => Handler
  ? Details
  : never;

/** The whole HTTP side: routes, who may call them, and one form for every error. */
export function createApp(context: Context): H3 {
  const app = new H3({
    silent: true,
    onError: (_error, event) => refuse(event, unreadableBody(MALFORMED), context),
  });
  for (const [path, methods] of Object.entries(routes(context)))
    app.all(path, dispatch(methods, context));
  app.all("/**", dispatch({}, context));
  return app;
}

function dispatch(methods: Methods, context: Context): Handler {
  const allowed = Object.keys(methods);
  return async (event) => {
    const startedAt = monotonicNowMs();
    const atMs = context.clock.nowMs();
    const answer = await answerTo(event, methods, allowed, context);
    if (!isControl(event)) {
      const { nextNumber: number } = context.requests;
      const durationMs = monotonicNowMs() - startedAt;
      context.requests.add(toLogged(event, answer, { number, atMs, durationMs }));
    }
    return answer;
  };
}

function isControl({ url }: H3Event): boolean {
  return url.pathname.startsWith("/_sandbox");
}

async function answerTo(
  event: H3Event,
  methods: Methods,
  allowed: readonly string[],
  context: Context,
): Promise<Response> {
  let cors: Readonly<Record<string, string>> | undefined;
  try {
    const target = readTarget(event);
    if (!target) throw unreadableBody(MALFORMED);
    cors = admit(event, target, context.origins);
    const { method } = event.req;
    if (cors && method === "OPTIONS") return new FastResponse(null, { status: 204, headers: cors });
    if (allowed.length === 0 || !isCanonical(target.path)) throw unknownRoute();
    const handler = methods[(method === "HEAD" ? "GET" : method) as keyof Methods];
    if (!handler) throw wrongMethod(allowed);
    if (isControl(event)) checkToken(event);
    const answer = await handler(event);
    // Nobody reads the body, and a stream would go on for nobody.
    if (method === "HEAD") await answer.body?.cancel();
    return withHeaders(answer, cors, event, context);
  } catch (error) {
    return withHeaders(refuse(event, error, context), cors, event, context);
  }
}

function refuse(event: H3Event, error: unknown, context: Context): Response {
  if (!(error instanceof GatewayError || error instanceof StorageError)) context.report(error);
  const { pathname } = event.url;
  const format: ErrorFormat = pathname.startsWith("/v2/") ? "problem" : "envelope";
  const assumptions = /^\/v[12]\//.test(pathname)
    ? assumptionsFor(event, context)
    : context.gateway.assumptionsOf(readToken(event));
  return toErrorResponse(error, assumptions, format);
}

function withHeaders(
  answer: Answer,
  cors: Readonly<Record<string, string>> | undefined,
  event: H3Event,
  { explain, magic }: Context,
): Answer {
  const choices = namedChoices(event, explain);
  if (choices !== undefined) setHeaders(answer, { "x-sandbox-assumption": choices });
  const meaning = magic ? namedMagic(event) : undefined;
  if (meaning !== undefined) setHeaders(answer, { "x-sandbox-magic": meaning });
  if (cors) setHeaders(answer, cors);
  return answer;
}

const MALFORMED = {
  en: "The request's address is malformed.",
  pt: "O endereço da requisição é inválido.",
};

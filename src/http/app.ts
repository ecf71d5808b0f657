import { H3, type H3Event } from "h3";
import { FastResponse } from "srvx";
import { untraced } from "../core/assumptions/trace.ts";
import { GatewayError } from "../core/errors.ts";
import { StorageError } from "../core/ports.ts";
import { monotonicNowMs } from "../platform/real-time.ts";
import { type Answer, withHeaders } from "./answer.ts";
import type { Call } from "./call.ts";
import type { Context } from "./context.ts";
import { TITLES, toErrorAnswer } from "./envelope.ts";
import { checkOrigin } from "./origin.ts";
import { traceFor } from "./pipeline/assumption-header.ts";
import { refuse as refuseGatewayCall } from "./pipeline/respond.ts";
import { ReceivedCall } from "./received-call.ts";
import { notLoaded, unknownRoute, unreadableBody, wrongMethod } from "./refusals.ts";
import { toLogged } from "./request-log.ts";
import { health } from "./routes/health.ts";
import { isCanonical, parseTarget } from "./target.ts";
import { checkToken, readToken } from "./token.ts";

type Handler = (call: Call) => Promise<Answer>;
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
    return async (call) => {
      if (!handler) {
        const module = await load().catch((error: unknown) => {
          context.report(error);
          throw notLoaded();
        });
        const make = module[name] as (context: Context, ...details: unknown[]) => Handler;
        handler = make(context, ...details);
      }
      return handler(call);
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

/** The HTTP side: the routes, the checks that all of them share, and one form for every error. */
export function createApp(context: Context): H3 {
  const app = new H3({
    silent: true,
    onError: (_error, event) => {
      const answer = refuse(new ReceivedCall(event), unreadableBody(MALFORMED), context);
      return toResponse(event, answer);
    },
  });
  for (const [path, methods] of Object.entries(routes(context)))
    app.all(path, dispatch(methods, context));
  app.all("/**", dispatch({}, context));
  return app;
}

function dispatch(methods: Methods, context: Context): (event: H3Event) => Promise<Response> {
  const allowed = Object.keys(methods);
  return async (event) => {
    const startedAt = monotonicNowMs();
    const atMs = context.clock.nowMs();
    const call = new ReceivedCall(event);
    const answer = await answerTo(call, methods, allowed, context);
    if (answer.isLost) call.loseAnswer();
    if (!isControl(call)) {
      const { nextNumber: number } = context.requests;
      const durationMs = monotonicNowMs() - startedAt;
      context.requests.add(toLogged(call, answer, { number, atMs, durationMs }));
    }
    return toResponse(event, answer);
  };
}

/** The answer as h3 sends it; a call of this process reads it from the event's context. */
function toResponse(event: H3Event, answer: Answer): Response {
  event.context[ANSWER] = answer;
  const { status, headers, body } = answer;
  return new FastResponse(body, { status, statusText: TITLES[status] ?? "", headers });
}

/** The member of an event's context that contains its answer. */
export const ANSWER = "sandboxAnswer";

function isControl({ url }: Call): boolean {
  return url.pathname.startsWith("/_sandbox");
}

async function answerTo(
  call: ReceivedCall,
  methods: Methods,
  allowed: readonly string[],
  context: Context,
): Promise<Answer> {
  let cors: Readonly<Record<string, string>> | undefined;
  try {
    const target = parseTarget(call.target);
    if (!target) throw unreadableBody(MALFORMED);
    cors = checkOrigin(call, target, context.origins);
    const { method } = call;
    if (cors && method === "OPTIONS") return { status: 204, headers: cors, body: null };
    if (allowed.length === 0 || !isCanonical(target.path)) throw unknownRoute();
    const handler = methods[(method === "HEAD" ? "GET" : method) as keyof Methods];
    if (!handler) throw wrongMethod(allowed);
    if (isControl(call)) checkToken(call);
    let answer = await handler(call);
    // The answer to a HEAD has no body: an endless stream would never be read.
    if (method === "HEAD" && answer.body instanceof ReadableStream) {
      await answer.body.cancel();
      answer = { ...answer, body: null };
    }
    return cors ? withHeaders(answer, cors) : answer;
  } catch (error) {
    const answer = refuse(call, error, context);
    return cors ? withHeaders(answer, cors) : answer;
  }
}

/** The answer to a call that no handler has answered. */
function refuse(call: Call, error: unknown, context: Context): Answer {
  if (/^\/v[12]\//.test(call.url.pathname))
    return refuseGatewayCall(error, call, traceFor(call, context), context);
  if (!(error instanceof GatewayError || error instanceof StorageError)) context.report(error);
  return toErrorAnswer(error, untraced(context.gateway.assumptionsOf(readToken(call))));
}

const MALFORMED = {
  en: "The request's address is malformed.",
  pt: "O endereço da requisição é inválido.",
};

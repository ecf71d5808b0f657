import { H3, type H3Event } from "h3";
import { FastResponse } from "srvx";
import { assumptionsFor, namedChoices } from "./asked.ts";
import type { Context } from "./context.ts";
import { type ErrorFormat, toAnswer, toErrorResponse } from "./envelope.ts";
import { GatewayError } from "../core/errors.ts";
import { StorageError } from "../core/ports.ts";
import { readToken } from "./headers.ts";
import { admit } from "./origin.ts";
import { unknownRoute, unreadableBody, wrongMethod } from "./refusals.ts";
import * as clock from "./routes/clock.ts";
import * as control from "./routes/control.ts";
import * as deliveries from "./routes/deliveries.ts";
import * as faults from "./routes/faults.ts";
import { streamEvents } from "./routes/events.ts";
import * as gateway from "./routes/gateway.ts";
import * as snapshots from "./routes/snapshots.ts";

type Handler = (event: H3Event) => Promise<Response>;
type Methods = Readonly<Partial<Record<"GET" | "POST" | "PUT" | "PATCH" | "DELETE", Handler>>>;

/** Every path that is answered, and how. */
export function routes(context: Context): Readonly<Record<string, Methods>> {
  return {
    "/v1/payins": { POST: gateway.createPayin(context) },
    "/v2/payins": { POST: gateway.createPayin(context) },
    "/v1/payouts": { POST: gateway.createPayout(context) },
    "/v1/payins/simulations": { POST: gateway.simulatePayin(context) },
    "/v1/payouts/simulations": { POST: gateway.simulatePayout(context) },
    "/v1/webhooks": { PUT: gateway.configureWebhook(context), GET: gateway.readWebhook(context) },

    "/_sandbox/health": { GET: control.health },
    "/_sandbox/payins": { GET: control.listPayins(context) },
    "/_sandbox/payins/:id": { GET: control.showPayin(context) },
    "/_sandbox/payins/:id/pay": { POST: control.movePayin(context, "pay") },
    "/_sandbox/payins/:id/cancel": { POST: control.movePayin(context, "cancel") },
    "/_sandbox/payins/:id/expire": { POST: control.movePayin(context, "expire") },
    "/_sandbox/payouts": { GET: control.listPayouts(context) },
    "/_sandbox/payouts/:id": { GET: control.showPayout(context) },
    "/_sandbox/payouts/:id/complete": { POST: control.movePayout(context, "completed") },
    "/_sandbox/payouts/:id/cancel": { POST: control.movePayout(context, "canceled") },
    "/_sandbox/deliveries": { GET: deliveries.listDeliveries(context) },
    "/_sandbox/deliveries/resend": { POST: deliveries.resendDeliveries(context) },
    "/_sandbox/deliveries/:id": { GET: deliveries.showDelivery(context) },
    "/_sandbox/deliveries/:id/resend": { POST: deliveries.resendDelivery(context) },
    "/_sandbox/wait": { GET: deliveries.waitForDelivery(context) },
    "/_sandbox/settle": { POST: deliveries.settle(context) },
    "/_sandbox/events": { GET: streamEvents(context) },
    "/_sandbox/clock": { GET: clock.showClock(context) },
    "/_sandbox/clock/advance": { POST: clock.advanceClock(context) },
    "/_sandbox/clock/set": { POST: clock.setClock(context) },
    "/_sandbox/clock/freeze": { POST: clock.turnClock(context, "freeze") },
    "/_sandbox/clock/resume": { POST: clock.turnClock(context, "resume") },
    "/_sandbox/reset": { POST: snapshots.reset(context) },
    "/_sandbox/snapshots": { GET: snapshots.listSnapshots(context) },
    "/_sandbox/snapshots/:name": {
      PUT: snapshots.saveSnapshot(context),
      DELETE: snapshots.deleteSnapshot(context),
    },
    "/_sandbox/snapshots/:name/restore": { POST: snapshots.restoreSnapshot(context) },
    "/_sandbox/faults": {
      GET: faults.listFaults(context),
      POST: faults.createFault(context),
      DELETE: faults.clearFaults(context),
    },
    "/_sandbox/faults/:id": {
      GET: faults.showFault(context),
      DELETE: faults.removeFault(context),
    },
    "/_sandbox/faults/:id/release": { POST: faults.releaseFault(context) },
    "/_sandbox/assumptions": {
      GET: control.listAssumptions(context),
      PATCH: control.changeAssumptions(context),
    },
    "/_sandbox/integrations": { GET: control.listIntegrations(context) },
    "/_sandbox/secret": { GET: control.showSecret(context) },
    "/_sandbox/openapi.json": { GET: describeRoutes(context) },
  };
}

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

/** `GET /_sandbox/openapi.json`: loaded where it is asked for, so that no start pays for it. */
function describeRoutes(context: Context): Handler {
  return async (event) => {
    const { describeApi } = await import("./openapi.ts");
    return toAnswer(describeApi(context.gateway.assumptionsOf(readToken(event)), "/"));
  };
}

function dispatch(methods: Methods, context: Context): Handler {
  const allowed = Object.keys(methods);
  return async (event) => {
    let cors: Readonly<Record<string, string>> | undefined;
    try {
      cors = admit(event, context.origins);
      const { method } = event.req;
      if (cors && method === "OPTIONS")
        return new FastResponse(null, { status: 204, headers: cors });
      if (allowed.length === 0) throw unknownRoute();
      const handler = methods[(method === "HEAD" ? "GET" : method) as keyof Methods];
      if (!handler) throw wrongMethod(allowed);
      const answer = await handler(event);
      // Nobody reads the body, and a stream would go on for nobody.
      if (method === "HEAD") await answer.body?.cancel();
      return withHeaders(answer, cors, namedChoices(event, context.explain));
    } catch (error) {
      const answer = refuse(event, error, context);
      return withHeaders(answer, cors, namedChoices(event, context.explain));
    }
  };
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
  response: Response,
  cors: Readonly<Record<string, string>> | undefined,
  choices: string | undefined,
): Response {
  if (choices !== undefined) response.headers.set("x-sandbox-assumption", choices);
  if (cors) for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
  return response;
}

const MALFORMED = {
  en: "The request's address is malformed.",
  pt: "O endereço da requisição é inválido.",
};

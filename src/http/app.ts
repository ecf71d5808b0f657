import type { IncomingMessage, ServerResponse } from "node:http";
import { H3, type H3Event } from "h3";
import { FastResponse } from "srvx";
import { type Answer, TITLES, toRedirect } from "./answers/answer.ts";
import type { Context } from "./context.ts";
import { answer, type Methods, refuse } from "./dispatch.ts";
import { answerHealth } from "./health.ts";
import { NodeCall } from "./faces/node-call.ts";
import type { ReceivedCall } from "./faces/received-call.ts";
import { WebCall } from "./faces/web-call.ts";
import { malformedAddress, notLoaded } from "./answers/refusals.ts";
import type { Endpoint } from "./route.ts";
import { type RouteFile, routeFileOf } from "./routes.ts";

/** The HTTP side as h3 serves it. The routes of a file are added when the file is loaded, at its first call. */
export function createApp(context: Context): H3 {
  const app = new H3({
    silent: true,
    onError: (_error, event) =>
      toResponse(event, refuse(toCall(event), malformedAddress(), context)),
  });
  const serve = async (event: H3Event, methods: Methods): Promise<Response> =>
    toResponse(event, await answer(toCall(event), methods, context));
  const added = new Set<RouteFile>();

  // The first route that a start needs; it loads no file.
  app.all("/_sandbox/health", (event) => serve(event, { GET: HEALTH }));
  app.all("/", (event) => serve(event, { GET: { handle: toInspector, isOpen: true } }));
  app.all("/**", async (event) => {
    const load = routeFileOf(event.url.pathname);
    if (!load || added.has(load)) return serve(event, {});
    try {
      const { routes = [], pages = [] } = await load();
      if (!added.has(load))
        for (const [path, methods] of methodsByPath([...routes, ...pages]))
          app.all(path.replaceAll(/\{(\w+)\}/g, ":$1"), (one) => serve(one, methods));
      added.add(load);
    } catch (error) {
      context.report(error);
      return serve(event, NOT_LOADED);
    }
    return app.handler(event);
  });
  return app;
}

/** A call of this process has neither Node's request nor its response. */
function toCall(event: H3Event): ReceivedCall {
  const node = event.runtime?.node;
  if (!node?.res) return new WebCall(event);
  return new NodeCall(
    node.req as IncomingMessage,
    node.res as ServerResponse,
    event.url,
    event.context.params,
  );
}

/** For people, who open the address without a path. The OpenAPI document does not describe it. */
async function toInspector(): Promise<Answer> {
  return toRedirect("/_sandbox/", 302);
}

function methodsByPath(endpoints: readonly Endpoint[]): ReadonlyMap<string, Methods> {
  const paths = new Map<string, Methods>();
  for (const endpoint of endpoints)
    paths.set(endpoint.path, { ...paths.get(endpoint.path), [endpoint.method]: endpoint });
  return paths;
}

const HEALTH = { handle: answerHealth, isOpen: true };

/** The routes of a file that could not be loaded. */
const REFUSED = {
  handle: async (): Promise<never> => {
    throw notLoaded();
  },
};
const NOT_LOADED: Methods = {
  GET: REFUSED,
  POST: REFUSED,
  PUT: REFUSED,
  PATCH: REFUSED,
  DELETE: REFUSED,
};

/** The response as h3 sends it; a call of this process reads it from the event's context. */
function toResponse(event: H3Event, sent: Answer): Response {
  event.context[ANSWER] = sent;
  const { status, headers, body } = sent;
  return new FastResponse(body, { status, statusText: TITLES[status] ?? "", headers });
}

/** The member of an event's context that contains its response. */
export const ANSWER = "sandboxAnswer";

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { H3, type H3Event, toNodeHandler } from "h3";
import { FastResponse } from "srvx";
import { type Answer, TITLES, toControlAnswer, toRedirect } from "../calls/answer.ts";
import type { Context } from "../context/context.ts";
import { answer, type Methods, refuse } from "../pipeline/dispatch.ts";
import { NodeCall } from "./node.ts";
import type { ReceivedCall } from "../calls/received-call.ts";
import { WebCall, type WebRequest } from "./web-call.ts";
import { malformedAddress } from "../calls/refusals.ts";
import { methodsByPath, NOT_LOADED, type RouteFile, routeFileOf } from "../routes/all-routes.ts";

/** All routes and pages, as h3 serves them: over connections, and to calls of this process. */
export interface H3Face {
  readonly listener: RequestListener;
  /** The response to a request of this process. */
  answer(request: WebRequest): Promise<Answer>;
}

export function createH3Face(context: Context): H3Face {
  const app = createApp(context);
  return {
    listener: toNodeHandler(app),
    answer: async (request) => {
      const sent: { [ANSWER]?: Answer } = {};
      await app.request(request as Request, undefined, sent);
      return sent[ANSWER] as Answer;
    },
  };
}

/** The routes of a file are added when the file is loaded, at its first call. */
function createApp(context: Context): H3 {
  const app = new H3({
    silent: true,
    onError: (_error, event) => {
      const refused = refuse(toCall(event), malformedAddress(), context);
      return toResponse(event, toControlAnswer(refused));
    },
  });
  const serve = async (event: H3Event, methods: Methods): Promise<Response> =>
    toResponse(event, await answer(toCall(event), methods, context));
  const added = new Set<RouteFile>();

  app.all("/", (event) => serve(event, { GET: { handle: toInspector, isOpen: true } }));
  app.all("/**", async (event) => {
    const load = routeFileOf(event.url.pathname);
    if (!load || added.has(load)) return serve(event, {});
    try {
      const paths = await methodsByPath(load);
      if (!added.has(load))
        for (const [path, methods] of paths)
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

/** The response as h3 sends it; a call of this process reads it from the event's context. */
function toResponse(event: H3Event, sent: Answer): Response {
  event.context[ANSWER] = sent;
  const { status, headers, body } = sent;
  return new FastResponse(body, { status, statusText: TITLES[status] ?? "", headers });
}

/** The member of an event's context that contains its response. */
const ANSWER = "sandboxAnswer";

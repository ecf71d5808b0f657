import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { H3, type H3Event, toNodeHandler } from "h3";
import { FastResponse } from "srvx";
import { type Answer, TITLES, toControlAnswer } from "../calls/answer.ts";
import type { Context } from "../context/context.ts";
import { answer, refuse } from "../pipeline/dispatch.ts";
import { NodeCall } from "./node.ts";
import type { ReceivedCall } from "../calls/received-call.ts";
import { malformedAddress } from "../calls/refusals.ts";
import { matchPath } from "../routes/all-routes.ts";

/** Serves all routes and pages over connections: h3 streams what the fast path does not answer. */
export function createH3Listener(context: Context): RequestListener {
  const app = new H3({
    silent: true,
    onError: ({ unhandled, cause }, event) => {
      const error = unhandled ? cause : malformedAddress();
      return toResponse(toControlAnswer(refuse(toCall(event), error, context)));
    },
  });
  app.all("/**", async (event) => {
    const { methods, parameters } = await matchPath(event.url.pathname, context.report);
    return toResponse(await answer(toCall(event, parameters), methods, context));
  });
  return toNodeHandler(app);
}

function toCall({ runtime, url }: H3Event, parameters?: ReceivedCall["parameters"]): ReceivedCall {
  const node = runtime?.node;
  return new NodeCall(node?.req as IncomingMessage, node?.res as ServerResponse, url, parameters);
}

function toResponse({ status, headers, body }: Answer): Response {
  return new FastResponse(body, { status, statusText: TITLES[status] ?? "", headers });
}

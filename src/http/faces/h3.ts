import type { RequestListener, ServerResponse } from "node:http";
import { H3, type H3Event, toNodeHandler } from "h3";
import { FastResponse } from "srvx";
import { type Answer, type Call, TITLES, toControlAnswer } from "../calls/call.ts";
import { malformedAddress } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import { answer, refuse } from "../pipeline/dispatch.ts";
import { matchPath } from "../routes/all-routes.ts";
import type { NodeRequest } from "./node.ts";

/** Serves all routes and pages over connections: h3 streams what the fast path does not answer. */
export function createH3Listener(context: Context): RequestListener {
  const app = new H3({
    silent: true,
    // An error of h3 itself is about the address.
    onError: ({ unhandled, cause }, event) =>
      toResponse(
        toControlAnswer(refuse(callOf(event), unhandled ? cause : malformedAddress(), context)),
      ),
  });
  app.all("/**", async (event) => {
    const { methods, parameters } = await matchPath(event.url.pathname);
    return toResponse(await answer(callOf(event, parameters), methods, context));
  });
  return toNodeHandler(app);
}

function callOf({ runtime, url }: H3Event, parameters?: Call["parameters"]): Call {
  const { req, res } = runtime?.node ?? {};
  return (req as NodeRequest).answeredBy(res as ServerResponse, url, parameters);
}

function toResponse({ status, headers, body }: Answer): Response {
  return new FastResponse(body, { status, statusText: TITLES[status] ?? "", headers });
}

import { toUrl } from "../../wire/url.ts";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type Answer, TITLES } from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { answer, type Methods } from "../pipeline/dispatch.ts";
import { answerHealth, answerReady } from "../context/health.ts";
import { methodsByPath, NOT_LOADED, routeFileOf } from "../routes/all-routes.ts";
import type { H3Face } from "./h3.ts";
import { NodeCall } from "./node-call.ts";

/** A path that is answered without h3. */
interface DirectPath {
  readonly url: Call["url"];
  readonly methods: Methods;
}

/**
 * Answers the gateway's calls and the health check from Node's request to Node's response: h3 would cost more than
 * all that the gateway does for a call. h3 answers the other calls; the first of them loads it.
 */
export function listenerOf(context: Context, loadH3: () => Promise<H3Face>): RequestListener {
  /** Keys are whole targets; a target with a query is not among them, so h3 answers it. */
  const direct = new Map(
    Object.entries(OF_PROCESS).map(([path, methods]) => [path, toDirectPath(path, methods)]),
  );

  // The response to a HEAD has other headers than the response itself, and h3 knows which.
  const pathOf = ({ method, url = "" }: IncomingMessage): DirectPath | undefined =>
    method === "HEAD" ? undefined : direct.get(url);
  const serve = (call: NodeCall, response: ServerResponse, methods: Methods): void => {
    answer(call, methods, context)
      .then((sent) => send(response, sent))
      .catch((error: unknown) => {
        context.report(error);
        response.destroy();
      });
  };
  /** Serves a call whose code is not loaded yet, or that h3 answers. */
  const load = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = request.url ?? "";
    try {
      const file = /^\/v[12]\//.test(target) ? routeFileOf(target) : undefined;
      for (const [path, methods] of file ? await methodsByPath(file) : [])
        direct.set(path, toDirectPath(path, methods));
      const path = pathOf(request);
      if (path) serve(new NodeCall(request, response, path.url), response, path.methods);
      else (await loadH3()).listener(request, response);
    } catch (error) {
      context.report(error);
      const { url } = toDirectPath(target, NOT_LOADED);
      serve(new NodeCall(request, response, url), response, NOT_LOADED);
    }
  };

  return (request, response) => {
    const path = pathOf(request);
    if (path) serve(new NodeCall(request, response, path.url), response, path.methods);
    else void load(request, response);
  };
}

const OF_PROCESS: Readonly<Record<string, Methods>> = Object.fromEntries(
  Object.entries({ "/_sandbox/health": answerHealth, "/_sandbox/ready": answerReady }).map(
    ([path, handle]) => [path, { GET: { handle, isOpen: true, isOfProcess: true } }],
  ),
);

function toDirectPath(path: string, methods: Methods): DirectPath {
  return { url: toCallUrl(path), methods };
}

const BASE = "http://localhost/";

/** The URL of a request's target. Its members are read once: a URL computes them at each use. */
export function toCallUrl(target: string): Call["url"] {
  const url = toUrl(target, BASE) ?? new URL(BASE);
  const { origin, pathname, search, searchParams } = url;
  return { origin, pathname, search, searchParams };
}

/** The same bytes as h3 sends. The gateway's responses are never streams. */
export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const text = body as string | null;
  const fields: string[] = [];
  for (const name in headers) fields.push(name, headers[name] ?? "");
  if (text !== null) fields.push("content-length", String(Buffer.byteLength(text)));
  response.writeHead(status, TITLES[status] ?? "", fields);
  response.end(text ?? undefined);
}

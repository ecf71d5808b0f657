import { toUrl } from "../../wire/url.ts";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { andThen, type Answer, TITLES } from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { answer, type Methods } from "../pipeline/dispatch.ts";
import { answerHealth, answerReady } from "../context/health.ts";
import { methodsByPath, NOT_LOADED, routeFileOf } from "../routes/all-routes.ts";
import { bodyCutShort, bodyTooLarge } from "../calls/refusals.ts";
import { closeSoon } from "./close-soon.ts";
import { closeBy, takeBody } from "./node-internals.ts";
import { setImmediate } from "../../platform/real-time.ts";
import type { ReceivedCall } from "../calls/received-call.ts";

/** A path that is answered without h3. */
interface DirectPath {
  readonly url: Call["url"];
  readonly methods: Methods;
}

/** A response that is sent at the end of the turn. */
interface Ready {
  readonly response: ServerResponse;
  readonly sent: Answer;
}

interface Loading {
  readonly loadH3: () => Promise<RequestListener>;
  /** Called at each call whose code is not loaded yet, or that h3 answers: the sandbox is in use. */
  readonly onLoad: () => void;
}

/**
 * Answers the gateway's calls and the health check from Node's request to Node's response: h3 would cost more than
 * all that the gateway does for a call. h3 answers the other calls; the first of them loads it.
 */
export function listenerOf(context: Context, { loadH3, onLoad }: Loading): RequestListener {
  /** Keys are whole targets; a target with a query is not among them, so h3 answers it. */
  const direct = new Map(
    Object.entries(OF_PROCESS).map(([path, methods]) => [path, toDirectPath(path, methods)]),
  );

  // The response to a HEAD has other headers than the response itself, and h3 knows which.
  const pathOf = ({ method, url = "" }: IncomingMessage): DirectPath | undefined =>
    method === "HEAD" ? undefined : direct.get(url);
  /** Responses of one turn of the event loop are sent together: one wake-up for all of them is faster. */
  let ready: Ready[] = [];
  const sendReady = (): void => {
    const sending = ready;
    ready = [];
    for (const { response, sent } of sending) {
      try {
        send(response, sent);
      } catch (error) {
        fail(response, error);
      }
    }
  };
  const fail = (response: ServerResponse, error: unknown): void => {
    context.report(error);
    response.destroy();
  };
  const serve = (call: NodeCall, response: ServerResponse, methods: Methods): void => {
    const failed = (error: unknown): void => fail(response, error);
    const sendInTurn = (sent: Answer): void => {
      if (ready.push({ response, sent }) === 1) setImmediate(sendReady);
    };
    try {
      void andThen(answer(call, methods, context), sendInTurn, failed);
    } catch (error) {
      failed(error);
    }
  };
  /** Serves a call whose code is not loaded yet, or that h3 answers. */
  const load = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = request.url ?? "";
    onLoad();
    try {
      const file = /^\/v[12]\//.test(target) ? routeFileOf(target) : undefined;
      for (const [path, methods] of file ? await methodsByPath(file) : [])
        direct.set(path, toDirectPath(path, methods));
      const path = pathOf(request);
      if (path) serve(new NodeCall(request, response, path.url), response, path.methods);
      else (await loadH3())(request, response);
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

/**
 * Sends the same bytes as h3. The gateway's responses are never streams. Headers and body are one write: `end` alone
 * would write an empty piece after the body, and two pieces cost the system call more than all else here.
 */
export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const text = body as string | null;
  const fields: string[] = [];
  for (const name in headers) fields.push(name, headers[name] ?? "");
  if (text !== null) fields.push("content-length", String(Buffer.byteLength(text)));
  response.writeHead(status, TITLES[status] ?? "", fields);
  if (text) {
    response.cork();
    response.write(text);
    response.uncork();
  }
  response.end();
}

const NO_PARAMETERS = {};

/** A call over a connection: Node's request and response. */
export class NodeCall implements ReceivedCall {
  readonly url: Call["url"];
  readonly parameters: Readonly<Record<string, string>>;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #text: string | undefined;
  body: Buffer | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    url: Call["url"],
    parameters: Readonly<Record<string, string>> = NO_PARAMETERS,
  ) {
    this.#request = request;
    this.#response = response;
    this.url = url;
    this.parameters = parameters;
  }

  get method(): string {
    return this.#request.method ?? "";
  }

  get address(): string {
    return this.#request.socket.remoteAddress ?? "";
  }

  get target(): string {
    return this.#request.url ?? "";
  }

  get headers(): Call["headers"] {
    return this.#request.headers;
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders;
  }

  /** HTTP/1.1 requires a Host header, HTTP/1.0 does not. */
  get mayOmitHost(): boolean {
    return this.#request.httpVersion === "1.0";
  }

  get text(): string | undefined {
    return (this.#text ??= this.body?.toString());
  }

  get hasBody(): boolean {
    const { headers } = this.#request;
    return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  }

  get isDisconnected(): boolean {
    return this.#response.socket?.destroyed ?? true;
  }

  readBody(maxBytes: number): Promise<Buffer> {
    const request = this.#request;
    if (Number(this.headers["content-length"] ?? 0) > maxBytes) {
      request.resume();
      throw this.#tooLarge(maxBytes);
    }
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const cutShort = (): void => reject(bodyCutShort());
      const add = (chunk: Buffer): void => {
        size += chunk.length;
        if (size <= maxBytes) chunks.push(chunk);
        else reject(this.#tooLarge(maxBytes));
      };
      const end = (): void => {
        request.off("close", cutShort);
        this.body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
        resolve(this.body);
      };
      if (request.destroyed) return cutShort();
      request.once("close", cutShort);
      if (!takeBody(request, add, end)) request.on("data", add).once("end", end);
    });
  }

  onDisconnect(listener: () => void): void {
    if (this.#response.closed) listener();
    else this.#response.once("close", listener);
  }

  loseAnswer(): void {
    this.#response.socket?.destroy();
  }

  /** The rest of the body is read for a moment, so that the client receives the response, and then cut off. */
  #tooLarge(maxBytes: number): Error {
    const response = this.#response;
    const { socket } = response;
    if (socket) {
      response.shouldKeepAlive = false;
      closeBy(socket, () => closeSoon(socket));
    }
    return bodyTooLarge(maxBytes);
  }
}

import { IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createNextTurn } from "../../platform/pause.ts";
import { say } from "../../text/message.ts";
import { toUrl, VERSION } from "../../wire/names.ts";
import { type Answer, TITLES, toAnswer, toControlAnswer, withHeaders } from "../calls/answer.ts";
import { type Call, MAX_BODY_BYTES } from "../calls/call.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import { answerHealth, answerReady } from "../context/health.ts";
import { answer, type Methods } from "../pipeline/dispatch.ts";
import { matchPath } from "../routes/all-routes.ts";

/** A path that is answered without h3. */
type DirectPath = { readonly location: Call["location"]; readonly methods: Methods };

/**
 * Answers the gateway's calls and the health check from Node's request to Node's response: h3 would cost more than
 * all that the gateway does for a call. h3 answers the other calls; the first of them loads it.
 */
export function listenerOf(context: Context): RequestListener {
  /** Keys are whole targets: h3 answers one with a query. */
  const direct = new Map<string, DirectPath>();
  const add = (target: string, methods: Methods): DirectPath => {
    const path = { location: toLocation(target), methods };
    direct.set(target, path);
    return path;
  };
  add("/_sandbox/health", { GET: { handle: answerHealth, isOpen: true, isOfProcess: true } });
  add("/_sandbox/ready", { GET: { handle: answerReady, isOpen: true, isOfProcess: true } });
  const find = async (target: string): Promise<DirectPath | undefined> => {
    if (!/^\/v[12]\//.test(target)) return undefined;
    const { methods } = await matchPath(target);
    return Object.keys(methods).length > 0 ? add(target, methods) : undefined;
  };
  let h3: RequestListener | undefined;
  const nextTurn = createNextTurn();

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url: target = "" } = request;
    // The response to a HEAD has other headers than the response itself, and h3 knows which.
    const path = method === "HEAD" ? undefined : (direct.get(target) ?? (await find(target)));
    if (!path) {
      h3 ??= (await import("./h3.ts")).createH3Listener(context);
      return h3(request, response);
    }
    const call = (request as NodeRequest).answeredBy(response, path.location);
    const answered = await answer(call, path.methods, context);
    // Node refers to the request until the connection's next one: it must not keep the body in memory.
    call.body = call.text = undefined;
    // All responses of one turn are sent together: one wake-up for all of them is faster.
    await nextTurn();
    send(response, answered);
  };
  return (request, response) =>
    void serve(request, response).catch((error: unknown) => {
      context.report(error);
      response.destroy();
    });
}

const BASE = "http://localhost/";

/** The URL of a request's target. Its members are read once: a URL computes them at each use. */
function toLocation(target: string): Call["location"] {
  const { origin, pathname, search, searchParams } = toUrl(target, BASE) ?? new URL(BASE);
  return { origin, pathname, search, searchParams };
}

const NOWHERE = toLocation("/");
const NO_PARAMETERS = {};
const NOTHING = (): void => undefined;

/**
 * Node's request as a call, which collects its body without its stream: a server that answers short bodies spends a
 * tenth of its time in that stream.
 */
export class NodeRequest extends IncomingMessage implements Call {
  declare method: string;
  declare url: string;
  location: Call["location"] = NOWHERE;
  parameters: Call["parameters"] = NO_PARAMETERS;
  body: Call["body"];
  text: Call["text"];
  trace: Call["trace"];
  fault: Call["fault"];
  #response: ServerResponse | undefined;
  readonly #body = { pieces: [] as Buffer[], size: 0, isWhole: false, onPiece: NOTHING };

  /** Completes the call with its response, and with the place and the parameters of its path. */
  answeredBy(
    response: ServerResponse,
    location: Call["location"],
    parameters: Call["parameters"] = NO_PARAMETERS,
  ): Call {
    this.#response = response;
    this.location = location;
    this.parameters = parameters;
    return this;
  }

  get address(): string {
    return this.socket.remoteAddress ?? "";
  }

  isDisconnected(): boolean {
    return this.socket.destroyed;
  }

  onDisconnect(listener: () => void): void {
    if (this.#response?.closed) listener();
    else this.#response?.once("close", listener);
  }

  loseAnswer(): void {
    this.socket.destroy();
  }

  /** Node's parser passes each piece of the body, and null at its end. What is too much is read, and dropped. */
  override push(piece: Buffer | null): boolean {
    const body = this.#body;
    if (piece === null) body.isWhole = true;
    else if (body.size <= MAX_BODY_BYTES) {
      body.pieces.push(piece);
      body.size += piece.length;
    }
    body.onPiece();
    return true;
  }

  /** The connection may end before the body does. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    super._destroy(error, callback);
    this.#body.onPiece();
  }

  /** See {@link Call.receiveBody}. */
  receiveBody(): Promise<Buffer> {
    const body = this.#body;
    return new Promise((resolve, reject) => {
      body.onPiece = () => {
        const { pieces, isWhole, size } = body;
        if (!isWhole && size <= MAX_BODY_BYTES)
          return this.destroyed ? reject(new HttpRefusal(400, CUT_SHORT)) : undefined;
        const [first] = pieces;
        // Deno passes a Uint8Array, which has other methods than a buffer.
        const isOne = pieces.length === 1 && Buffer.isBuffer(first);
        resolve(isOne ? first : Buffer.concat(pieces));
        body.pieces = [];
        body.onPiece = NOTHING;
      };
      body.onPiece();
    });
  }
}

const CUT_SHORT = say`The body was cut short.`;

/**
 * Sends the same bytes as h3. The gateway's responses are never streams. Headers and body are one write: `end` alone
 * would write an empty piece after the body, and two pieces cost the system call more than all else here.
 */
function send(response: ServerResponse, { status, headers, body }: Answer): void {
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

/**
 * Answers while the process waits for its state: the health check with 200, everything else with 503. It is the same
 * for every host and origin, and says nothing of the sandbox.
 */
export const answerWaiting: RequestListener = ({ method, url = "" }, response) => {
  const [path = ""] = method === "GET" || method === "HEAD" ? url.split("?") : [];
  send(response, toControlAnswer(WHILE_WAITING[path] ?? REFUSED));
};

const WHILE_WAITING: Readonly<Record<string, Answer>> = {
  "/_sandbox/health": toAnswer({ status: "ok", version: VERSION }),
  "/_sandbox/ready": toAnswer({ ready: false, version: VERSION }, 503),
};
const message =
  "This sandbox waits until another one ends, which uses the same state. Call that one, or try again in a moment.";
const REFUSED = withHeaders(toAnswer({ message, code: "EXTERNAL_ERROR", errors: [] }, 503), {
  "retry-after": "1",
});

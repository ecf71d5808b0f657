import { IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createNextTurn } from "../../platform/pause.ts";
import { say } from "../../text/message.ts";
import { VERSION } from "../../wire/names.ts";
import {
  type Answer,
  type Call,
  MAX_BODY_BYTES,
  TITLES,
  toAnswer,
  toControlAnswer,
  withHeaders,
} from "../calls/call.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import { answerHealth, answerReady } from "../context/health.ts";
import { answer, type Methods } from "../pipeline/dispatch.ts";
import { matchPath } from "../routes/all-routes.ts";

/**
 * Answers the gateway's calls and the health check from Node's request to Node's response: h3 would cost more than
 * all that the gateway does for a call. h3 answers the other calls; the first of them loads it.
 */
export function listenerOf(context: Context): RequestListener {
  /** Keys are whole targets: h3 answers one with a query. */
  const direct = new Map<string, Methods>([
    ["/_sandbox/health", { GET: { handle: answerHealth, isOpen: true, isOfProcess: true } }],
    ["/_sandbox/ready", { GET: { handle: answerReady, isOpen: true, isOfProcess: true } }],
  ]);
  const find = async (target: string): Promise<Methods | undefined> => {
    if (!/^\/v[12]\//.test(target)) return undefined;
    const { methods } = await matchPath(target);
    if (Object.keys(methods).length === 0) return undefined;
    direct.set(target, methods);
    return methods;
  };
  let h3: RequestListener | undefined;
  const nextTurn = createNextTurn();

  const serve = async (request: NodeRequest, response: ServerResponse): Promise<void> => {
    const { method, url } = request;
    // The response to a HEAD has other headers than the response itself, and h3 knows which.
    const methods = method === "HEAD" ? undefined : (direct.get(url) ?? (await find(url)));
    if (!methods) {
      h3 ??= (await import("./h3.ts")).createH3Listener(context);
      return h3(request, response);
    }
    const location = { origin: "", pathname: url, search: "", searchParams: NONE };
    const call = request.answeredBy(response, location);
    const answered = await answer(call, methods, context);
    // Node refers to the request until the connection's next one: it must not keep the body in memory.
    call.body = call.text = undefined;
    // All responses of one turn are sent together: one wake-up for all of them is faster.
    await nextTurn();
    send(response, answered);
  };
  return (request, response) =>
    void serve(request as NodeRequest, response).catch((error: unknown) => {
      context.report(error);
      response.destroy();
    });
}

const NONE = new URLSearchParams();

/**
 * Node's request as a call, which collects its body without its stream: a server that answers short bodies spends a
 * tenth of its time in that stream.
 */
export class NodeRequest extends IncomingMessage implements Call {
  declare method: string;
  declare url: string;
  declare location: Call["location"];
  declare parameters: Call["parameters"];
  body: Call["body"];
  text: Call["text"];
  trace: Call["trace"];
  fault: Call["fault"];
  #response: ServerResponse | undefined;
  #pieces: Buffer[] = [];
  #size = 0;
  #isWhole = false;
  #onPiece: (() => void) | undefined;

  /** Completes the call with its response, and with the place and the parameters of its path. */
  answeredBy(
    response: ServerResponse,
    location: Call["location"],
    parameters: Call["parameters"] = {},
  ): Call {
    this.#response = response;
    return Object.assign(this, { location, parameters });
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
    if (piece === null) this.#isWhole = true;
    else if (this.#size <= MAX_BODY_BYTES) {
      this.#pieces.push(piece);
      this.#size += piece.length;
    }
    this.#onPiece?.();
    return true;
  }

  /** The connection may end before the body does. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    super._destroy(error, callback);
    this.#onPiece?.();
  }

  /** See {@link Call.receiveBody}. */
  receiveBody(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#onPiece = () => {
        if (this.#isWhole || this.#size > MAX_BODY_BYTES) {
          resolve(Buffer.concat(this.#pieces));
          this.#pieces = [];
          this.#onPiece = undefined;
        } else if (this.destroyed) reject(new HttpRefusal(400, CUT_SHORT));
      };
      this.#onPiece();
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

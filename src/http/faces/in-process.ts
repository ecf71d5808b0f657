import { text as readText } from "node:stream/consumers";
import { createNextTurn } from "../../platform/pause.ts";
import { mainGlobals } from "../../platform/process-globals.ts";
import { type Message, say } from "../../text/message.ts";
import { type Answer, type Call, MAX_BODY_BYTES, onAbort, TITLES } from "../calls/call.ts";
import { SandboxClosedError } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import { answer } from "../pipeline/dispatch.ts";
import { matchPath } from "../routes/all-routes.ts";

/** A call of this process that needs no `Request`. */
export interface LocalCall {
  readonly method: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal;
}

export interface LocalReply {
  readonly status: number;
  /** Null without a body. It can be read once: as a stream, or with `json`. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Rejects if the body is not JSON. */
  json(): Promise<unknown>;
}

/** The server without a socket, for calls of its own process. Responses are the same as over a socket. */
export interface InProcess {
  /** Calls a path relative to the sandbox's URL. @throws as `fetch` does. */
  call(path: string, call: LocalCall): Promise<LocalReply>;
  /**
   * Calls a route as `fetch` would, with the caller's own `Request` and `Response`: those of Node, or of happy-dom.
   * @throws TypeError as `fetch` does if a fault loses the response, SandboxClosedError after `close`.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Refuses further calls; resolves when those in flight have ended. */
  close(): Promise<void>;
}

/**
 * @param base the base of paths, and the default host
 * @param toText chooses the language that is in force
 * @internal
 */
export function answerInProcess(
  context: Context,
  base: string,
  toText: (text: Message) => string,
): InProcess {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  const nextTurn = createNextTurn();

  const answerNow = async (url: URL, local: LocalCall): Promise<Answer> => {
    const { methods, parameters } = await matchPath(url.pathname);
    const answered = await answer(toCall(url, local, parameters), methods, context);
    // A loop of calls lets other things happen, as it would over a socket.
    await nextTurn();
    if (answered.outcome?.isLost) {
      const cause = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
      throw new TypeError("fetch failed", { cause });
    }
    return local.method === "HEAD" ? { ...answered, body: null } : answered;
  };

  const send = async (url: URL, local: LocalCall): Promise<Answer> => {
    const { signal } = local;
    if (isClosed) throw new SandboxClosedError(toText(CLOSED));
    signal?.throwIfAborted();
    const answering = answerNow(url, local);
    underWay.add(answering);
    let stopListening: (() => void) | undefined;
    const givenUp = new Promise<never>((_resolve, reject) => {
      stopListening = signal && onAbort(signal, () => reject(signal.reason as Error));
    });
    return Promise.race([answering, givenUp]).finally(() => {
      stopListening?.();
      underWay.delete(answering);
    });
  };

  return {
    call: async (path, local) => {
      const { status, body } = await send(new URL(path, base), local);
      const isStream = body instanceof ReadableStream;
      const read = async () => (isStream ? readText(body) : (body ?? ""));
      const json = async () => JSON.parse(await read()) as unknown;
      return { status, body: isStream ? body : null, json };
    },
    fetch: async (input, init) => {
      const request = new mainGlobals.Request(
        typeof input === "string" ? new URL(input, base) : input,
        init,
      );
      const { method, signal } = request;
      const { status, headers, body } = await send(new URL(request.url), {
        method,
        headers: Object.fromEntries(request.headers),
        body: request.body === null ? undefined : await readBeginning(request.body),
        signal,
      });
      const ended =
        body instanceof ReadableStream ? body.pipeThrough(new TransformStream(), { signal }) : body;
      return new mainGlobals.Response(ended, { status, statusText: TITLES[status] ?? "", headers });
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(underWay);
    },
  };
}

/** Reads a body, but of one that is too large only enough to show it: it may never end. */
async function readBeginning(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size > MAX_BODY_BYTES) break;
  }
  return Buffer.concat(pieces);
}

/** A call without a connection. */
function toCall(location: URL, local: LocalCall, parameters: Call["parameters"]): Call {
  const { method, signal, body = "" } = local;
  const bytes = Buffer.from(body);
  return {
    method,
    location,
    parameters,
    // Every client over a socket sends the host, and the length of a body.
    headers: { "content-length": String(bytes.length), host: location.host, ...local.headers },
    address: "",
    isDisconnected: () => signal?.aborted === true,
    receiveBody: async () => bytes,
    onDisconnect: (listener) => signal && onAbort(signal, listener),
  };
}

const CLOSED = say`The sandbox is closed. Start another one with startSandbox().`;

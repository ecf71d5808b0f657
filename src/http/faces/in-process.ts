import { text as readText } from "node:stream/consumers";
import { type Answer, TITLES, toControlAnswer } from "../calls/answer.ts";
import { malformedAddress, SandboxClosedError } from "../calls/refusals.ts";
import { mainGlobals } from "../../platform/process-globals.ts";
import { createNextTurn } from "../../platform/next-turn.ts";
import { clearTimeout, setImmediate, setTimeout } from "../../platform/real-time.ts";
import type { LocalCall, LocalReply } from "../calls/local-call.ts";
import type { Context } from "../context/context.ts";
import { answer as answerCall, refuse } from "../pipeline/dispatch.ts";
import { matchPath } from "../routes/all-routes.ts";
import { WebCall, type WebRequest } from "./web-call.ts";
import { type Message, say } from "../../text/message.ts";

/** The server without a socket, for calls of its own process. Responses are the same as over a socket. */
export interface InProcess {
  /**
   * Calls a route, whose path is relative to the sandbox's URL.
   * @throws as `fetch` does.
   */
  call(path: string, call: LocalCall): Promise<LocalReply>;
  /**
   * Calls a route as `fetch` would, with the caller's own `Request` and `Response`: those of Node, or of happy-dom.
   * @throws TypeError as `fetch` does if a fault loses the response, SandboxClosedError after `close`.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Refuses further calls; resolves when those in flight have ended, or after `graceMs`, and ends open streams. */
  close(graceMs: number): Promise<void>;
}

/** A response whose body is text, or arrives part by part. */
type Answered = Pick<Answer, "status" | "headers"> & {
  readonly body: string | ReadableStream<Uint8Array> | null;
};

/**
 * @param url the base of paths, and the default host
 * @param toText chooses the language that is in force
 */
export function answerInProcess(
  context: Context,
  url: string,
  toText: (text: Message) => string,
): InProcess {
  const underWay = new Set<Promise<unknown>>();
  const streams = new Set<Streamed>();
  let isClosed = false;
  const nextTurn = createNextTurn();

  const answer = async (request: WebRequest): Promise<Answered> => {
    const target = new URL(request.url);
    const { methods, parameters } = await matchPath(target.pathname, context.report);
    const call = new WebCall(request, target, parameters);
    const { status, headers, body, outcome } = canBeDecoded(target)
      ? await answerCall(call, methods, context)
      : toControlAnswer(refuse(call, malformedAddress(), context));
    // A loop of calls lets other things happen, as it would over a socket.
    await nextTurn();
    if (outcome?.isLost) throw new TypeError("fetch failed", { cause: reset() });
    if (request.method === "HEAD" || body === null) return { status, headers, body: null };
    if (typeof body === "string") return { status, headers, body };
    const stream = relay(body, request.signal, () => streams.delete(stream));
    streams.add(stream);
    return { status, headers, body: stream.body };
  };

  const send = async (request: WebRequest): Promise<Answered> => {
    const { signal } = request;
    signal.throwIfAborted();
    const answering = answer(request);
    underWay.add(answering);
    return await new Promise<Answered>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      answering.then(resolve, reject).finally(() => underWay.delete(answering));
    });
  };

  const assertOpen = (): void => {
    if (isClosed) throw new SandboxClosedError(toText(CLOSED));
  };

  return {
    call: async (path, { body: sent, headers, ...call }) => {
      assertOpen();
      const { status, body } = await send({
        signal: new AbortController().signal,
        ...call,
        url: `${url}${path}`,
        headers: withHost(url, Object.entries(headers)),
        body: sent ?? null,
        arrayBuffer: async () => new Uint8Array(Buffer.from(sent ?? "")).buffer,
      });
      if (typeof body === "string")
        return { status, body: null, json: async () => JSON.parse(body) as unknown };
      return {
        status,
        body,
        json: async () => JSON.parse(body === null ? "" : await readText(body)) as unknown,
      };
    },
    fetch: async (input, init) => {
      assertOpen();
      const request = new mainGlobals.Request(
        typeof input === "string" ? new URL(input, url) : input,
        init,
      );
      const { method, headers: given, body: sent, signal } = request;
      const { status, headers, body } = await send({
        method,
        url: request.url,
        headers: withHost(request.url, given),
        body: sent,
        signal,
        arrayBuffer: () => request.arrayBuffer(),
      });
      return new mainGlobals.Response(body, { status, statusText: TITLES[status] ?? "", headers });
    },
    close: async (graceMs) => {
      isClosed = true;
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), graceMs);
      const lateness = new Promise((resolve) => late.signal.addEventListener("abort", resolve));
      await Promise.race([Promise.allSettled(underWay), lateness]);
      // A stream that is being read may be read to its end; others are cut.
      for (let turns = 0; streams.size > 0 && turns < IDLE_TURNS && !late.signal.aborted; turns++) {
        if ([...streams].some((stream) => stream.takeIsRead())) turns = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
      clearTimeout(timer);
      for (const stream of streams) stream.end(new SandboxClosedError(toText(CLOSED)));
    },
  };
}

/** Over a socket, h3 looks at this before it looks for a route. */
function canBeDecoded({ pathname }: URL): boolean {
  try {
    // A minifier drops a call whose result is not used.
    return decodeURI(pathname) !== "";
  } catch {
    return false;
  }
}

/** Every client over a socket sends the header. */
function withHost(url: string, headers: Iterable<[string, string]>): Map<string, string> {
  return new Map([["host", new URL(url).host], ...headers]);
}

/** A streamed body, whose reader may stop at any time or never start. */
interface Streamed {
  readonly body: ReadableStream<Uint8Array>;
  /** Whether its reader waits for more, or has read since the last call of this. */
  takeIsRead(): boolean;
  end(reason: Error): void;
}

function relay(
  source: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onEnd: () => void,
): Streamed {
  const reader = source.getReader();
  let isWaiting = false;
  let wasRead = false;
  let end: Streamed["end"] = () => undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        end = (reason) => {
          onEnd();
          controller.error(reason);
          void reader.cancel(reason);
        };
        signal.addEventListener("abort", () => end(signal.reason as Error), { once: true });
      },
      async pull(controller) {
        isWaiting = true;
        wasRead = true;
        const { value } = await reader.read().finally(() => {
          isWaiting = false;
        });
        if (value) return controller.enqueue(value);
        onEnd();
        controller.close();
      },
      cancel(reason) {
        onEnd();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const takeIsRead = (): boolean => {
    const isRead = isWaiting || wasRead;
    wasRead = false;
    return isRead;
  };
  return { body, takeIsRead, end: (reason) => end(reason) };
}

/** How many turns of the event loop may pass between two reads while the sandbox closes. */
const IDLE_TURNS = 10;

function reset(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}

const CLOSED = say`The sandbox is closed. Start another one with startSandbox().`;

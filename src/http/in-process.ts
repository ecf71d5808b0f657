import type { H3 } from "h3";
import type { Answer } from "./answer.ts";
import { ANSWER } from "./app.ts";
import { TITLES } from "./envelope.ts";
import { SandboxClosedError } from "./refusals.ts";
import type { LocalizedText } from "../core/localized-text.ts";
import { clearTimeout, setImmediate, setTimeout } from "../platform/real-time.ts";

/** The server as its own process calls it: what goes for a call over a socket goes for one without. */
export interface InProcess {
  /**
   * Answers as `fetch` would.
   * @throws TypeError as `fetch` does where a fault loses the answer, SandboxClosedError once it is closed.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Takes no more calls; resolves when those under way are answered, or after `graceMs`, and ends what is still read. */
  close(graceMs: number): Promise<void>;
}

/**
 * @param url what paths stand below; its host is the one that is asked for
 * @param toText in the language that holds
 */
export function answerInProcess(
  app: H3,
  url: string,
  toText: (text: LocalizedText) => string,
): InProcess {
  const underWay = new Set<Promise<unknown>>();
  const streams = new Set<Streamed>();
  let isClosed = false;

  const answer = async (request: Request): Promise<Response> => {
    const context: { [ANSWER]?: Answer } = {};
    await app.request(request, undefined, context);
    const { status, headers, body, isLost } = context[ANSWER] as Answer;
    if (isLost) throw new TypeError("fetch failed", { cause: reset() });
    const init = { status, statusText: TITLES[status] ?? "", headers };
    if (request.method === "HEAD" || body === null) return new Response(null, init);
    if (typeof body === "string") return new Response(body, init);
    const stream = relay(body, request.signal, () => streams.delete(stream));
    streams.add(stream);
    return new Response(stream.body, init);
  };

  return {
    fetch: async (input, init) => {
      if (isClosed) throw new SandboxClosedError(toText(CLOSED));
      const request = new Request(typeof input === "string" ? new URL(input, url) : input, init);
      // As every client over a socket says it.
      if (!request.headers.has("host")) request.headers.set("host", new URL(request.url).host);
      const { signal } = request;
      signal.throwIfAborted();
      const answering = answer(request);
      underWay.add(answering);
      return await new Promise<Response>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        answering.then(resolve, reject).finally(() => underWay.delete(answering));
      });
    },
    close: async (graceMs) => {
      isClosed = true;
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), graceMs);
      const lateness = new Promise((resolve) => late.signal.addEventListener("abort", resolve));
      await Promise.race([Promise.allSettled(underWay), lateness]);
      // Whoever reads a stream is let to read its end; nobody waits for one that is not read.
      for (let turns = 0; streams.size > 0 && turns < IDLE_TURNS && !late.signal.aborted; turns++) {
        if ([...streams].some((stream) => stream.takeIsRead())) turns = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
      clearTimeout(timer);
      for (const stream of streams) stream.end(new SandboxClosedError(toText(CLOSED)));
    },
  };
}

/** A body on its way to somebody who may stop to listen at any time, or never begin. */
interface Streamed {
  readonly body: ReadableStream<Uint8Array>;
  /** Whether its reader waits for more of it, or has asked for more since the last call of this. */
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

/** How many turns of the event loop a reader may take from one read to the next, as the sandbox closes. */
const IDLE_TURNS = 10;

function reset(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}

const CLOSED = {
  en: "The sandbox is closed and answers no more; start another one with startSandbox().",
  pt: "O sandbox está fechado e não responde mais; inicie outro com startSandbox().",
};

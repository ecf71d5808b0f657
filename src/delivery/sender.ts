import type { ClientRequest, ClientRequestArgs, IncomingMessage } from "node:http";
import { connect, type LookupFunction, type NetConnectOpts } from "node:net";
import { NOT_SENT } from "../core/records/delivery.ts";
import { protocolOf } from "../platform/http-request.ts";
import { clearTimeout, monotonicNowMs, setTimeout, wallNowMs } from "../platform/real-time.ts";
import { checkDestination, type Destinations, lookupFor } from "./destinations.ts";

export interface WebhookRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For all of it, to the end of the response. */
  readonly timeoutMs: number;
  /** Ends the POST at any time. */
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of a POST: the response, or the error if there was none. */
export interface PostOutcome {
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  /** The start of the response's body. */
  readonly response: string | null;
  /** The time that the response's `retry-after` requests, if any. */
  readonly retryAfterMs?: number | undefined;
  /** The target of a redirect, which is not followed. */
  readonly location?: string | undefined;
  /** What a receiver that refuses says it runs on: its headers `server` and `x-powered-by`. */
  readonly software?: string | undefined;
}

type Answered = Omit<PostOutcome, "durationMs">;

/** Receives the webhooks to some addresses in this process; undefined for any other address. */
export type LocalReceiver = (
  url: URL,
  webhook: Pick<WebhookRequest, "headers" | "body">,
) => { readonly status: number; readonly response: string } | undefined;

export interface SenderOptions {
  /** Default: `all`. */
  readonly destinations?: Destinations | undefined;
  readonly receiveLocally?: LocalReceiver | undefined;
  /** Hosts that are called in the place of others, such as that of the machine in the place of a container's `localhost`. */
  readonly hostRewrites?: ReadonlyMap<string, string> | undefined;
  /** Whether to accept any certificate. */
  readonly isInsecure?: boolean | undefined;
}

/** Node fires a timer with a longer delay at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** For a connection, with its TLS handshake. */
const CONNECT_TIMEOUT_MS = 5000;
/** How much of a response is stored. */
const MAX_RESPONSE_BYTES = 16 * 1024;
const MAX_LOCATION = 2048;
const GIVEN_UP = new Error("it was given up");

/** Sends POSTs, each exactly once: over a connection of its own, or to a receiver in this process. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #lookup: LookupFunction;

  constructor(options: SenderOptions = {}) {
    this.#options = options;
    this.#lookup = lookupFor(options.destinations);
  }

  /** Never rejects: a failure is an outcome to be recorded like any other. */
  async post(webhook: WebhookRequest): Promise<PostOutcome> {
    const startedAt = monotonicNowMs();
    let answered: Answered;
    try {
      answered = await this.#send(webhook);
    } catch (error) {
      answered = { status: null, error: reasonOf(error), response: null };
    }
    return { ...answered, durationMs: Math.round(monotonicNowMs() - startedAt) };
  }

  #send(webhook: WebhookRequest): Answered | Promise<Answered> {
    if (webhook.signal?.aborted === true) throw GIVEN_UP;
    const url = new URL(webhook.url);
    const received = this.#options.receiveLocally?.(url, webhook);
    if (received) return { ...received, error: null };
    // The receiver sees the host that it gave, since many accept no other.
    const { host } = url;
    const target = this.#options.hostRewrites?.get(url.hostname);
    if (target !== undefined) url.hostname = target;
    checkDestination(url, this.#options.destinations);
    if (url.port === "0")
      throw new Error(`${NOT_SENT}port 0 cannot be called; use the receiver's port`);
    const request = protocolOf(url.protocol).request(url, {
      method: "POST",
      headers: { ...webhook.headers, host },
      // A connection that is kept may be closed just as it is used again, and blocks servers that take one at a time.
      // An agent's work for each connection takes a sixth of the CPU time.
      ...(url.protocol === "https:"
        ? { agent: false }
        : { createConnection: (to: ClientRequestArgs) => connect(to as NetConnectOpts) }),
      lookup: this.#lookup,
      rejectUnauthorized: this.#options.isInsecure !== true,
    });
    return exchange(request, webhook);
  }
}

function exchange(request: ClientRequest, webhook: WebhookRequest): Promise<Answered> {
  const { body, timeoutMs, signal } = webhook;
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(connection);
      clearTimeout(answer);
      signal?.removeEventListener("abort", cancel);
      request.destroy();
    };
    const fail = (error: Error): void => {
      reject(error);
      end();
    };
    const expect = (what: string, limitMs: number): NodeJS.Timeout =>
      setTimeout(
        () => fail(new Error(`no ${what} within ${limitMs / 1000} s`)),
        Math.min(limitMs, MAX_TIMEOUT_MS),
      );
    const cancel = (): void => fail(GIVEN_UP);
    const connection =
      timeoutMs > CONNECT_TIMEOUT_MS ? expect("connection", CONNECT_TIMEOUT_MS) : undefined;
    const answer = expect("answer", timeoutMs);
    signal?.addEventListener("abort", cancel);
    const connected = request.protocol === "https:" ? "secureConnect" : "connect";
    let response: IncomingMessage | undefined;
    request.once("socket", (socket) => socket.once(connected, () => clearTimeout(connection)));
    request.once("upgrade", (_response, socket) => {
      socket.destroy();
      fail(new Error("the answer 101 changes the protocol"));
    });
    request.on("error", (error) => {
      // What follows a whole response is no part of it.
      if (response?.complete !== true) fail(error);
    });
    request.once("response", (received) => {
      response = received;
      const chunks: Buffer[] = [];
      let length = 0;
      const succeed = (): void => {
        resolve(toAnswered(received, Buffer.concat(chunks)));
        end();
      };
      received.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_RESPONSE_BYTES) succeed();
      });
      received.once("end", succeed).on("error", fail);
    });
    request.end(body);
  });
}

function toAnswered({ statusCode: status = 0, headers }: IncomingMessage, body: Buffer): Answered {
  const { server = "", "x-powered-by": language = "", location } = headers;
  const software = status >= 400 ? `${String(server)} ${String(language)}` : " ";
  return {
    status,
    error: null,
    response: body.subarray(0, MAX_RESPONSE_BYTES).toString(),
    retryAfterMs: readRetryAfterMs(headers["retry-after"], wallNowMs()),
    location: status >= 300 && status < 400 ? location?.slice(0, MAX_LOCATION) : undefined,
    software: software === " " ? undefined : software,
  };
}

/** Reads `retry-after`: seconds, or an HTTP date. @returns undefined for anything else. */
export function readRetryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // oxlint-disable-next-line no-restricted-globals -- parses a date and reads no clock.
  const atMs = /^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** The reason in a message such as `write EPROTO 80B…:error:0A00010B:SSL routines:…:wrong version number:…`. */
const OPENSSL_REASON = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/;

/** The error in one line, with every address that was tried. Stored with the attempt, in English. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(", ");
  if (!(error instanceof Error)) return String(error);
  const { code, address, port, message } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  const tls = OPENSSL_REASON.exec(message)?.[1];
  if (tls !== undefined) return `${code ?? "TLS"} ${tls}`;
  if (code !== undefined && address !== undefined)
    return `${code} ${address.includes(":") ? `[${address}]` : address}:${port}`;
  // The parser's messages say what its codes say.
  const isNamed = code === undefined || message.includes(code) || code.startsWith("HPE_");
  return isNamed ? message : `${code} ${message}`;
}

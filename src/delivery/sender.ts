import { lookup as lookUp, type LookupAddress } from "node:dns";
import http from "node:http";
import https from "node:https";
import net, { isIP, type LookupFunction, type Socket } from "node:net";
import { isLinkLocal, isLoopback } from "../core/webhooks/webhook-url.ts";
import type { Duplex } from "node:stream";
import type { Cancellation } from "./cancellation.ts";
import { parseUrl } from "./parse-url.ts";
import { clearTimeout, monotonicNowMs, setTimeout, wallNowMs } from "../platform/real-time.ts";

/** A POST to a merchant. */
export interface WebhookRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For all of it, to the end of the response. */
  readonly timeoutMs: number;
  /** Whether to use a new connection instead of a keep-alive one. */
  readonly isOnNewConnection?: boolean;
  /**
   * Resolves when the request may be sent: no byte of it leaves before. Not called if the host refuses the connection
   * again. If it rejects, that is the outcome.
   */
  readonly maySend?: (() => Promise<void>) | undefined;
  /** Ends the POST at any time. */
  readonly cancellation?: Cancellation | undefined;
}

/** The outcome of a POST: the response, or the error if there was none. */
export interface PostOutcome {
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  /** The start of the response's body. */
  readonly response: string | null;
  /** The time that the response's `retry-after` requests, if any. */
  readonly retryAfterMs?: number;
  /** The target of a redirect, which is not followed. */
  readonly location?: string;
  /** Whether the receiver closed a keep-alive connection while the request was sent on it. */
  readonly isStaleConnection?: true;
}

type Answered = Omit<PostOutcome, "durationMs">;

/** Receives the webhooks to some addresses in this process; undefined for any other address. */
export type LocalReceiver = (
  url: URL,
  webhook: Pick<WebhookRequest, "headers" | "body">,
) => { readonly status: number; readonly response: string } | undefined;

/** The allowed addresses: all but link-local ones, or this machine's own only. */
export type Destinations = "all" | "loopback";

/** Node fires a timer with a longer delay at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** How much of the timeout the connection may take. */
const CONNECT_TIMEOUT_MS = 5000;
/** How much of a response is stored. */
const MAX_RESPONSE_BYTES = 16 * 1024;
const MAX_LOCATION = 2048;
const HTTP_PORT = 80;
/** Idle connections are closed soon: each blocks a server that handles one connection at a time. */
const KEEP_ALIVE = { keepAlive: true, scheduling: "lifo", timeout: 2000 } as const;

/**
 * A server that handles one connection at a time leaves the others waiting until that one closes. While a POST waits
 * on a new connection, others to its host close theirs when idle for so long, or once each so long when busy.
 */
const TURN = { idleMs: 20, busyMs: 250 } as const;

/** The maximum number of stored hosts that refused the last connection. */
const MAX_REFUSED = 4096;

/** The maximum number of stored closed sockets. */
const MAX_CLOSED = 4;

/** An agent that uses the connection that a request brings, if it brings one. */
class OpenedAgent extends http.Agent {
  override createConnection(
    options: http.ClientRequestArgs & Pick<OpenedOptions, "opened">,
    onCreated?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    return options.opened ?? super.createConnection(options, onCreated);
  }
}

/** Makes an agent close a connection after a response unless `mayKeep` returns true. */
function keepingSome<Kind extends http.Agent>(
  agent: Kind,
  mayKeep: (connection: Duplex) => boolean,
): Kind {
  // Not every runtime has it.
  const keep = (agent.keepSocketAlive as Keep | undefined)?.bind(agent);
  agent.keepSocketAlive = (connection) => keep?.(connection) !== false && mayKeep(connection);
  return agent;
}

type Keep = (this: http.Agent, connection: Duplex) => unknown;

/** Sends POSTs, each exactly once: over keep-alive connections, or to a receiver in this process. */
export class Sender {
  /** The hosts, with their ports, that refused the last connection. */
  readonly #refused = new Set<string>();
  /** Sockets whose connection was refused. Connecting one again costs less than another one. */
  readonly #closedSockets: Socket[] = [];
  readonly #agents = {
    "http:": keepingSome(new OpenedAgent(KEEP_ALIVE), (one) => this.#mayKeep(one)),
    "https:": keepingSome(new https.Agent(KEEP_ALIVE), (one) => this.#mayKeep(one)),
  };
  readonly #destinations: Destinations;
  readonly #receiveLocally: LocalReceiver;
  /** The POSTs that wait for the first response on a new connection, by host and port. */
  readonly #waiting = new Map<string, Set<Turn>>();
  /** The host and port of each connection. */
  readonly #hosts = new WeakMap<Duplex, string>();
  /** Functions that fail the POSTs in flight. */
  readonly #inFlight = new Set<(error: Error) => void>();

  constructor(destinations: Destinations = "all", receiveLocally: LocalReceiver = () => undefined) {
    this.#destinations = destinations;
    this.#receiveLocally = receiveLocally;
  }

  /** Whether the host of a URL refused the last connection. */
  isRefused(url: string): boolean {
    const { protocol, host } = parseUrl(url);
    return protocol === "http:" && this.#refused.has(host);
  }

  /** Never rejects: a failure is an outcome to be recorded like any other. */
  async post(posting: WebhookRequest): Promise<PostOutcome> {
    const startedAt = monotonicNowMs();
    const end = (outcome: Answered): PostOutcome => ({
      ...outcome,
      durationMs: Math.round(monotonicNowMs() - startedAt),
    });
    try {
      return end(await this.#exchange(posting));
    } catch (error) {
      const isStale = error instanceof StaleConnection && { isStaleConnection: true as const };
      return end({ status: null, error: reasonOf(error), response: null, ...isStale });
    }
  }

  /** Aborts all POSTs in flight. */
  abort(reason: Error): void {
    for (const fail of this.#inFlight) fail(reason);
  }

  /** Closes the keep-alive connections. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #exchange(posting: WebhookRequest): Promise<Answered> {
    const url = parseUrl(posting.url);
    const isRefused = posting.isOnNewConnection !== true && this.isRefused(posting.url);
    if (!isRefused && posting.maySend) await posting.maySend();
    if (posting.cancellation?.isCanceled) throw canceled();
    const received = this.#receiveLocally(url, posting);
    if (received) return { ...received, error: null };
    const host = hostOf(url);
    if (isIP(host) !== 0 && !isAllowed(host, this.#destinations))
      throw notAllowed(host, this.#destinations);
    if (url.port === "0") throw new Error("port 0 cannot be called; use the receiver's port");
    return this.#send(url, posting, isRefused);
  }

  #send(url: URL, posting: WebhookRequest, isRefused: boolean): Promise<Answered> {
    const { body, headers, timeoutMs, isOnNewConnection = false, cancellation } = posting;
    const isSecure = url.protocol === "https:";
    const agent = isOnNewConnection ? false : this.#agents[isSecure ? "https:" : "http:"];
    const lookup = lookupFor(this.#destinations);
    return new Promise((resolve, reject) => {
      const startedAt = monotonicNowMs();
      const expect = (what: string, limitMs: number): NodeJS.Timeout =>
        setTimeout(
          () => fail(new Error(`no ${what} within ${limitMs / 1000} s`)),
          Math.min(limitMs - (monotonicNowMs() - startedAt), MAX_TIMEOUT_MS),
        );
      let timer: NodeJS.Timeout | undefined;
      let started: { destroy(): void } | undefined;
      const turn: Turn = { sinceMs: startedAt };
      const end = (): void => {
        clearTimeout(timer);
        this.#endWaiting(url.host, turn);
        this.#inFlight.delete(fail);
        cancellation?.off(cancel);
      };
      const fail = (error: Error): void => {
        end();
        reject(error);
        started?.destroy();
      };
      const cancel = (): void => fail(canceled());
      this.#inFlight.add(fail);
      cancellation?.on(cancel);
      const expectConnection = (): void => {
        timer =
          timeoutMs <= CONNECT_TIMEOUT_MS
            ? expect("answer", timeoutMs)
            : expect("connection", CONNECT_TIMEOUT_MS);
      };
      const expectAnswer = (): void => {
        clearTimeout(timer);
        timer = expect("answer", timeoutMs);
      };
      const send = (opened?: Socket): void => {
        const options: OpenedOptions = {
          method: "POST",
          headers: { ...headers, "content-length": Buffer.byteLength(body) },
          agent,
          lookup,
          opened,
        };
        const post = (isSecure ? https : http).request(url, options);
        started = post;
        post.once("socket", (socket) => {
          this.#hosts.set(socket, url.host);
          if (!post.reusedSocket) this.#startWaiting(url.host, turn);
          if (post.reusedSocket || opened) return expectAnswer();
          expectConnection();
          socket.once(isSecure ? "secureConnect" : "connect", expectAnswer);
        });
        post.on("error", (error: NodeJS.ErrnoException) => {
          const isStale =
            post.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
          if (isRefusal(error)) this.#noteRefusal(url.host);
          fail(isStale ? new StaleConnection(error.code) : error);
        });
        post.once("upgrade", (answer) =>
          fail(new Error(`the answer ${answer.statusCode} changes the protocol`)),
        );
        post.once("response", (answer) => {
          const chunks: Buffer[] = [];
          let size = 0;
          const finish = (): void => {
            end();
            resolve(toAnswered(answer, Buffer.concat(chunks)));
          };
          answer.on("data", (chunk: Buffer) => {
            chunks.push(chunk);
            size += chunk.length;
            if (size <= MAX_RESPONSE_BYTES) return;
            finish();
            post.destroy();
          });
          answer.once("end", finish);
          // A response that was cut short after its status does not count as a response.
          answer.on("error", fail);
        });
        post.end(body);
      };
      if (!isRefused) return send();
      // Connects first: a refused connection costs a fifth of a refused request, and sends nothing.
      const port = Number(url.port || HTTP_PORT);
      const socket = this.#closedSockets.pop() ?? new net.Socket().setNoDelay();
      started = socket;
      expectConnection();
      const connected = (): void => {
        clearTimeout(timer);
        socket.off("close", closed);
        this.#refused.delete(url.host);
        const isEnded = (): boolean => !this.#inFlight.has(fail);
        Promise.resolve(posting.maySend?.()).then(() => {
          if (isEnded()) return;
          socket.off("error", fail);
          send(socket);
        }, fail);
      };
      const closed = (): void => {
        socket.off("connect", connected).off("error", fail);
        if (this.#closedSockets.length < MAX_CLOSED) this.#closedSockets.push(socket);
      };
      socket.once("error", fail).once("connect", connected).once("close", closed);
      socket.connect({ host: hostOf(url), port, lookup });
    });
  }

  #startWaiting(host: string, turn: Turn): void {
    const turns = this.#waiting.get(host) ?? new Set();
    this.#waiting.set(host, turns.add(turn));
  }

  #endWaiting(host: string, turn: Turn): void {
    const turns = this.#waiting.get(host);
    turns?.delete(turn);
    if (turns?.size === 0) this.#waiting.delete(host);
  }

  /** Whether a connection may be kept. While a POST waits on a new one to its host, only for a moment. */
  #mayKeep(connection: Duplex): boolean {
    const turns = this.#waiting.get(this.#hosts.get(connection) ?? "");
    if (!turns) return true;
    if (connection instanceof net.Socket) connection.setTimeout(TURN.idleMs);
    const nowMs = monotonicNowMs();
    const next = [...turns].find(({ sinceMs }) => nowMs - sinceMs >= TURN.busyMs);
    if (next) next.sinceMs = nowMs;
    return !next;
  }

  #noteRefusal(host: string): void {
    this.#refused.add(host);
    const [oldest] = this.#refused;
    if (this.#refused.size > MAX_REFUSED && oldest !== undefined) this.#refused.delete(oldest);
  }
}

/** When a POST began to wait, or another one last gave up its connection for it. */
interface Turn {
  sinceMs: number;
}

interface OpenedOptions extends http.RequestOptions {
  /** A connection to use instead of a new one. */
  readonly opened?: Socket | undefined;
}

/** The host of a URL as a connection takes it: an IPv6 address without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function canceled(): Error {
  return new Error("it was given up");
}

/** Whether every address of a host refused the connection. */
function isRefusal(error: NodeJS.ErrnoException): boolean {
  if (error instanceof AggregateError) return error.errors.every(isRefusal);
  return error.code === "ECONNREFUSED";
}

class StaleConnection extends Error {
  constructor(code = "") {
    super(`${code}: the receiver closed the kept connection just as it was used again`);
  }
}

function toAnswered({ statusCode = 0, headers }: http.IncomingMessage, body: Buffer): Answered {
  const retryAfterMs = readRetryAfterMs(headers["retry-after"], wallNowMs());
  const { location } = headers;
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return {
    status: statusCode,
    error: null,
    response: body.subarray(0, MAX_RESPONSE_BYTES).toString(),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(isRedirect && location !== undefined && { location: location.slice(0, MAX_LOCATION) }),
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

/** Resolves a name to the allowed addresses only, so that the checked address is the one connected to. */
export function lookupFor(destinations: Destinations): LookupFunction {
  return (hostname, options, callback) => {
    // A hosts file may lack one of the families, or names below localhost.
    if (/(^|\.)localhost\.?$/i.test(hostname)) {
      if (options.all) callback(null, [...LOOPBACKS]);
      else callback(null, LOOPBACKS[0].address, LOOPBACKS[0].family);
      return;
    }
    lookUp(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, "", 0);
      const allowed = found.filter(({ address }) => isAllowed(address, destinations));
      const [first] = allowed;
      if (!first) return callback(notAllowed(hostname, destinations), "", 0);
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

const LOOPBACKS = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
] as const;

function isAllowed(address: string, destinations: Destinations): boolean {
  return !isLinkLocal(address) && (destinations === "all" || isLoopback(address));
}

function notAllowed(host: string, destinations: Destinations): Error {
  return new Error(
    destinations === "loopback"
      ? `${host} is not this machine, and --webhook-allow loopback lets webhooks go nowhere else`
      : `${host} is a link-local or metadata address, where no webhook may go`,
  );
}

/** The reason in a message such as `write EPROTO 80B…:error:0A00010B:SSL routines:…:wrong version number:…`. */
const OPENSSL_REASON = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/;

/** The error in one line, with every address that was tried. Stored with the attempt, in English. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(", ");
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  const tls = OPENSSL_REASON.exec(error.message)?.[1];
  if (tls !== undefined) return `${code ?? "TLS"} ${tls}`;
  if (code !== undefined && address !== undefined)
    return `${code} ${address.includes(":") ? `[${address}]` : address}:${port}`;
  return code !== undefined && !error.message.includes(code)
    ? `${code} ${error.message}`
    : error.message;
}

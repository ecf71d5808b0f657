import { lookup as lookUp, type LookupAddress } from "node:dns";
import net, { isIP, type LookupFunction } from "node:net";
import { NOT_SENT } from "../core/records/delivery.ts";
import {
  CONTAINER_HOSTS,
  isLinkLocal,
  isLoopback,
  isMetadata,
  LOCALHOST,
} from "../core/records/webhook-url.ts";
import type { Cancellation } from "./cancellation.ts";
import type {
  Connection,
  ConnectionRequest,
  Connections,
  Receiver,
  ServerResponse,
} from "./connection.ts";
import { parseUrl } from "./parse-url.ts";
import { clearTimeout, monotonicNowMs, setTimeout, wallNowMs } from "../platform/real-time.ts";

export interface WebhookRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For all of it, to the end of the response. */
  readonly timeoutMs: number;
  /** Whether to use a new connection instead of a keep-alive one. */
  readonly isOnNewConnection?: boolean;
  /**
   * Resolves when the request may be sent: no byte of it leaves before; without a promise, it may be sent at once. Not
   * called if the host refuses the connection again. If it rejects, that is the outcome.
   */
  readonly maySend?: (() => Promise<void> | undefined) | undefined;
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
  /** What a receiver that refuses says it runs on: its headers `server` and `x-powered-by`. */
  readonly software?: string;
  /** Whether the receiver closed a keep-alive connection while the request was sent on it. */
  readonly isStaleConnection?: true;
}

type Answered = Omit<PostOutcome, "durationMs">;

/** Receives the webhooks to some addresses in this process; undefined for any other address. */
export type LocalReceiver = (
  url: URL,
  webhook: Pick<WebhookRequest, "headers" | "body">,
) => { readonly status: number; readonly response: string } | undefined;

/** Hosts that are called in the place of others, such as that of the machine in the place of a container's `localhost`. */
export type HostRewrites = ReadonlyMap<string, string>;

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

/**
 * A server that handles one connection at a time leaves the others waiting until that one closes. While a POST waits
 * on a new connection, others to its host close theirs when idle for so long, or once each so long when busy.
 */
const TURN = { idleMs: 20, busyMs: 250 } as const;

/** The maximum number of stored hosts that refused the last connection. */
const MAX_REFUSED = 4096;

/** The maximum number of stored closed sockets. */
const MAX_CLOSED = 4;

/** Sends POSTs, each exactly once: over keep-alive connections, or to a receiver in this process. */
export class Sender {
  /** The hosts, with their ports, that refused the last connection. */
  readonly #refused = new Set<string>();
  /** Sockets whose connection was refused. Connecting one again costs less than another one. */
  readonly #closedSockets: net.Socket[] = [];
  /** Loaded for the first webhook. */
  #connections: Connections | undefined;
  readonly #destinations: Destinations;
  readonly #lookup: LookupFunction;
  readonly #receiveLocally: LocalReceiver;
  readonly #rewrites: HostRewrites;
  readonly #isInsecure: boolean;
  /** The POSTs that wait for the first response on a new connection, by host and port. */
  readonly #waiting = new Map<string, Set<Turn>>();
  /** Functions that fail the POSTs in flight. */
  readonly #inFlight = new Set<(error: Error) => void>();

  /** @param isInsecure whether to accept any certificate */
  constructor(
    destinations: Destinations = "all",
    receiveLocally: LocalReceiver = () => undefined,
    rewrites: HostRewrites = new Map(),
    isInsecure = false,
  ) {
    this.#destinations = destinations;
    this.#lookup = lookupFor(destinations);
    this.#receiveLocally = receiveLocally;
    this.#rewrites = rewrites;
    this.#isInsecure = isInsecure;
  }

  isRefused(url: string): boolean {
    const { protocol, host } = this.#targetOf(parseUrl(url));
    return protocol === "http:" && this.#refused.has(host);
  }

  /** Never rejects: a failure is an outcome to be recorded like any other. */
  async post(posting: WebhookRequest): Promise<PostOutcome> {
    const startedAt = monotonicNowMs();
    const durationMs = (): number => Math.round(monotonicNowMs() - startedAt);
    try {
      const answered = await this.#exchange(posting);
      return { ...answered, durationMs: durationMs() };
    } catch (error) {
      const isStale = error instanceof StaleConnection && { isStaleConnection: true as const };
      const reason = reasonOf(error);
      return { status: null, error: reason, response: null, durationMs: durationMs(), ...isStale };
    }
  }

  /** Aborts all POSTs in flight. */
  abort(reason: Error): void {
    for (const fail of this.#inFlight) fail(reason);
  }

  /** Closes the keep-alive connections. */
  close(): void {
    this.#connections?.close();
  }

  async #exchange(posting: WebhookRequest): Promise<Answered> {
    const url = parseUrl(posting.url);
    const isRefused = posting.isOnNewConnection !== true && this.isRefused(posting.url);
    const untilAllowed = isRefused ? undefined : posting.maySend?.();
    if (untilAllowed) await untilAllowed;
    if (posting.cancellation?.isCanceled) throw canceled();
    const received = this.#receiveLocally(url, posting);
    if (received) return { ...received, error: null };
    const target = this.#targetOf(url);
    const host = hostOf(target);
    if (isIP(host) !== 0 && !isAllowed(host, host, this.#destinations))
      throw notAllowed(host, this.#destinations);
    if (url.port === "0")
      throw new Error(`${NOT_SENT}port 0 cannot be called; use the receiver's port`);
    const request = toRequest(url, posting, target === url ? undefined : url.host);
    return this.#send(target, request, posting, isRefused);
  }

  /** Where a POST goes: the address, or another host in its place. */
  #targetOf(url: URL): URL {
    const hostname = this.#rewrites.get(url.hostname);
    if (hostname === undefined) return url;
    const target = new URL(url);
    target.hostname = hostname;
    return target;
  }

  #send(
    url: URL,
    request: ConnectionRequest,
    posting: WebhookRequest,
    isRefused: boolean,
  ): Promise<Answered> {
    const { timeoutMs, isOnNewConnection = false, cancellation } = posting;
    return new Promise((resolve, reject) => {
      const startedAt = monotonicNowMs();
      const expect = (what: string, limitMs: number): NodeJS.Timeout =>
        setTimeout(
          () => fail(new Error(`no ${what} within ${limitMs / 1000} s`)),
          Math.min(limitMs - (monotonicNowMs() - startedAt), MAX_TIMEOUT_MS),
        );
      let timer: NodeJS.Timeout | undefined;
      let close = (): void => undefined;
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
        close();
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
      const isEnded = (): boolean => !this.#inFlight.has(fail);
      const sendOn = (connections: Connections, connection: Connection): void => {
        let isReused = true;
        close = () => connection.close();
        const receiver: Receiver = {
          onConnecting: () => {
            isReused = false;
            this.#startWaiting(url.host, turn);
            expectConnection();
          },
          onSending: expectAnswer,
          onResponse: (response) => {
            end();
            resolve(toAnswered(response));
            const mayBeKept = response.isReusable && !isOnNewConnection;
            if (!mayBeKept || this.#isTurnOver(url.host)) connection.close();
            else
              connections.release(
                connection,
                this.#waiting.has(url.host) ? TURN.idleMs : undefined,
              );
          },
          onFailure: (error, isAnswered) => {
            const isReset = error.code === "ECONNRESET" || error.code === "EPIPE";
            if (isRefusal(error)) this.#noteRefusal(url.host);
            fail(isReused && isReset && !isAnswered ? new StaleConnection(error.code) : error);
          },
        };
        connection.send(request, receiver);
      };
      const connectAgain = (connections: Connections): void => {
        // Connects first: a refused connection costs a fifth of a refused request, and sends nothing.
        const socket = this.#closedSockets.pop() ?? new net.Socket();
        close = () => socket.destroy();
        const connected = (): void => {
          clearTimeout(timer);
          socket.off("close", closed);
          this.#refused.delete(url.host);
          Promise.resolve(posting.maySend?.())
            .then(() => {
              if (isEnded()) return;
              socket.off("error", fail);
              sendOn(connections, connections.open(url.origin, socket));
            })
            .catch(fail);
        };
        const closed = (): void => {
          socket.off("connect", connected).off("error", fail);
          if (this.#closedSockets.length < MAX_CLOSED) this.#closedSockets.push(socket);
        };
        expectConnection();
        socket.once("error", fail).once("connect", connected).once("close", closed);
        const port = Number(url.port || HTTP_PORT);
        socket.connect({ host: hostOf(url), port, lookup: this.#lookup });
      };
      const start = (connections: Connections): void => {
        if (isEnded()) return;
        if (isRefused) connectAgain(connections);
        else if (isOnNewConnection) sendOn(connections, connections.open(url.origin));
        else sendOn(connections, connections.take(url.origin));
      };
      if (this.#connections) start(this.#connections);
      else this.#load().then(start).catch(fail);
    });
  }

  async #load(): Promise<Connections> {
    const { Connections: Loaded } = await import("./connection.ts");
    this.#connections ??= new Loaded(this.#lookup, MAX_RESPONSE_BYTES, this.#isInsecure);
    return this.#connections;
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

  /** Whether a connection to a host must be closed for a POST that waits on a new one. */
  #isTurnOver(host: string): boolean {
    const turns = this.#waiting.get(host);
    if (!turns) return false;
    const nowMs = monotonicNowMs();
    const next = [...turns].find(({ sinceMs }) => nowMs - sinceMs >= TURN.busyMs);
    if (next) next.sinceMs = nowMs;
    return next !== undefined;
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

/** @param host for the header: the receiver sees the address that it gave, since many accept no other */
function toRequest(
  url: URL,
  { body, headers, isOnNewConnection }: WebhookRequest,
  host: string | undefined,
): ConnectionRequest {
  const hasCredentials = url.username !== "" || url.password !== "";
  const named = host === undefined ? headers : { ...headers, Host: host };
  return {
    path: `${url.pathname}${url.search}`,
    headers: hasCredentials ? { ...named, Authorization: credentialsOf(url) } : named,
    body,
    isLast: isOnNewConnection === true,
  };
}

function credentialsOf({ username, password }: URL): string {
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(text).toString("base64")}`;
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

function toAnswered({ status, header, body }: ServerResponse): Answered {
  const retryAfterMs = readRetryAfterMs(header("retry-after"), wallNowMs());
  const location = header("location");
  const isRedirect = status >= 300 && status < 400;
  const software = status >= 400 && `${header("server") ?? ""} ${header("x-powered-by") ?? ""}`;
  return {
    status,
    error: null,
    response: body.subarray(0, MAX_RESPONSE_BYTES).toString(),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(software && software !== " " && { software }),
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
    if (LOCALHOST.test(hostname)) {
      if (options.all) callback(null, [...LOOPBACKS]);
      else callback(null, LOOPBACKS[0].address, LOOPBACKS[0].family);
      return;
    }
    lookUp(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, "", 0);
      const allowed = found.filter(({ address }) => isAllowed(hostname, address, destinations));
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

/** @param host of the webhook's URL, which is `address` or resolves to it */
function isAllowed(host: string, address: string, destinations: Destinations): boolean {
  const isForbidden = CONTAINER_HOSTS.has(host.replace(/\.$/, "")) ? isMetadata : isLinkLocal;
  return !isForbidden(address) && (destinations === "all" || isLoopback(address));
}

function notAllowed(host: string, destinations: Destinations): Error {
  return new Error(
    destinations === "loopback"
      ? `${NOT_SENT}${host} is not this machine, and --webhook-allow loopback lets webhooks go nowhere else`
      : `${NOT_SENT}${host} is a link-local or metadata address, where no webhook may go`,
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

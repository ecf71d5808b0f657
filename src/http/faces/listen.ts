import { readFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import {
  clearInterval,
  clearTimeout,
  setImmediate,
  setInterval,
  setTimeout,
} from "../../platform/real-time.ts";
import { closeSoon } from "./close-soon.ts";
import { interceptConnections } from "./node-internals.ts";

/** A listening server. */
export interface Listening {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The IP address that it listens on. */
  readonly address: string;
  /** Refuses further requests; resolves when those in flight have ended, or cuts them after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** The files of a server's certificate with its chain, and of its private key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free port; a busy port is an error, never replaced by another. */
  readonly port: number;
  /** Serves HTTPS: with this certificate, or with a self-signed one for `true`. */
  readonly https: boolean | Certificate;
  /** How many connections may be open. Default: a third of the file descriptors, since webhooks and files need others. */
  readonly maxConnections?: number;
}

/** How long a slow or silent client may take, in milliseconds. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 60_000 };

/** @throws Error with the code EADDRINUSE if the port is busy. */
export async function listen(
  handler: http.RequestListener,
  options: ListenOptions,
): Promise<Listening> {
  const isHttps = options.https !== false;
  const server = isHttps
    ? await listenWithCertificate(handler, options)
    : await listenPlainly(handler, options);
  Object.assign(server, LIMITS);
  limitConnections(server, options);
  const open = trackConnections(server, isHttps);
  server.on("clientError", refuseMalformed);
  server.on("checkExpectation", refuseExpectation);
  const { port, address } = server.address() as AddressInfo;
  return {
    url: `${isHttps ? "https" : "http"}://${toUrlHost(options.host)}:${port}`,
    port,
    address,
    close: (graceMs) => closeServer(server, open, graceMs),
  };
}

async function listenPlainly(
  handler: http.RequestListener,
  { host, port }: ListenOptions,
): Promise<http.Server> {
  const server = http.createServer(
    { connectionsCheckingInterval: 5_000, requireHostHeader: false },
    handler,
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return server;
}

/** listhen makes the certificate, unless one is given. Only HTTPS loads it, since it is large. */
async function listenWithCertificate(
  handler: http.RequestListener,
  { host, port, https }: ListenOptions,
): Promise<http.Server> {
  const { listen: listenWith } = await import("listhen");
  const listener = await listenWith(handler, {
    hostname: host,
    port: {
      port,
      alternativePortRange: [] as unknown as [number, number],
      random: port === 0,
      ports: [],
    },
    https: typeof https === "object" ? { ...https } : true,
    // Its guesses about the machine would bind every interface, and its handlers of signals end the process.
    public: false,
    isProd: false,
    isTest: false,
    autoClose: false,
    showURL: false,
    qr: false,
  });
  return listener.server;
}

/** The host in the server's URL: a wildcard address cannot be called, the loopback address can. */
function toUrlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/**
 * Refuses connections beyond a limit, before the process runs out of file descriptors. Without free ones it
 * could not send webhooks or open files, and would drop further connections without a response.
 */
function limitConnections(
  server: http.Server,
  { https, maxConnections = Math.floor(descriptorLimit() / 3) }: ListenOptions,
): void {
  let open = 0;
  let refusing = 0;
  interceptConnections(server, (socket, serve) => {
    if (open < maxConnections) {
      open++;
      socket.once("close", () => open--);
      serve();
      return;
    }
    socket.on("error", () => socket.destroy());
    if (https !== false) {
      // A response would have to be encrypted first.
      socket.destroy();
    } else if (refusing < MAX_REFUSING) {
      refusing++;
      socket.once("close", () => refusing--);
      closeSoon(socket, toTooMany(maxConnections));
    } else {
      socket.end(toTooMany(maxConnections));
      socket.destroySoon();
    }
  });
}

/** How many refused connections may linger: each uses a file descriptor. */
const MAX_REFUSING = 4;
/** The limit if it is unknown: on macOS it is higher, and Windows has none. */
const USUAL_DESCRIPTORS = 10_000;

/** How many file descriptors this process may open. Node has raised the soft limit to the hard one. */
function descriptorLimit(): number {
  try {
    const [, count] =
      /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Number(count ?? USUAL_DESCRIPTORS);
  } catch {
    return USUAL_DESCRIPTORS;
  }
}

function trackConnections(server: http.Server, isHttps: boolean): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on(isHttps ? "secureConnection" : "connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return open;
}

/** How often a closing server looks for connections whose last response has been sent. */
const PAUSE_MS = 20;

function closeServer(
  server: http.Server,
  open: ReadonlySet<Socket>,
  graceMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    const idle = setInterval(() => server.closeIdleConnections(), PAUSE_MS);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(idle);
      resolve();
    });
    server.closeIdleConnections();
    // Browsers open connections in advance. Node does not count them as idle before their first request.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

/**
 * Resolves when clients in this process know that their connections are closed: it takes them some turns of the event
 * loop to read the end, end their own side, and remove the connection from those that they keep.
 */
export async function untilClientsKnow(): Promise<void> {
  for (let left = TURNS; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
}

/** More do no harm. */
const TURNS = 10;

const MALFORMED_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

function toEnvelope(message: string, code = "VALIDATION_ERROR"): string {
  return JSON.stringify({ message, code, errors: [] });
}

/** The bytes of a response that is the last on its connection. */
function toLastAnswer(status: string, body: string, ...headers: readonly string[]): string {
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    ...headers,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function toTooMany(limit: number): string {
  const message = `The sandbox has ${limit} connections open and accepts no more. Close idle ones, or start it with a higher limit of open files (ulimit -n).`;
  return toLastAnswer(
    "503 Service Unavailable",
    toEnvelope(message, "EXTERNAL_ERROR"),
    "retry-after: 1",
  );
}

function refuseExpectation(_request: http.IncomingMessage, response: http.ServerResponse): void {
  response.writeHead(417, { "content-type": "application/json" });
  response.end(toEnvelope("The header expect must be 100-continue."));
}

/** Answers malformed HTTP with the envelope and closes the connection. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const status = MALFORMED_STATUS[error.code ?? ""] ?? "400 Bad Request";
  const body = toEnvelope(`The request is not well-formed HTTP: ${status.slice(4)}.`);
  closeSoon(socket, toLastAnswer(status, body));
}

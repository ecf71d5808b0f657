import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type H3, toNodeHandler } from "h3";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "../real-time.ts";

/** A server that listens. */
export interface Listening {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Takes no more requests; resolves when those under way are answered, or are cut after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one; a busy one is an error, never another. */
  readonly port: number;
  /** With a certificate made for the occasion. */
  readonly https: boolean;
}

/** How long a slow or silent client may take, in milliseconds. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 60_000 };

/** @throws Error with the code EADDRINUSE where the port is taken. */
export async function listen(app: H3, options: ListenOptions): Promise<Listening> {
  const handler = toNodeHandler(app) as http.RequestListener;
  const server = options.https
    ? await listenWithCertificate(handler, options)
    : await listenPlainly(handler, options);
  Object.assign(server, LIMITS);
  const unused = trackUnused(server);
  server.on("clientError", refuseMalformed);
  server.on("checkExpectation", refuseExpectation);
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.https ? "https" : "http"}://${toUrlHost(options.host)}:${port}`,
    port,
    close: (graceMs) => closeServer(server, unused, graceMs),
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

/** listhen makes the certificate. It is loaded here alone: a plain start does not pay for what it brings. */
async function listenWithCertificate(
  handler: http.RequestListener,
  { host, port }: ListenOptions,
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
    https: true,
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

/** Where a name stands for every interface, this machine is what a caller on it can reach. */
function toUrlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** The connections on which nothing was asked yet: browsers open some ahead. */
function trackUnused(server: http.Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", ({ socket }) => unused.delete(socket));
  return unused;
}

/** How soon a closing server looks again for connections whose last answer has left. */
const PAUSE_MS = 20;

function closeServer(
  server: http.Server,
  unused: ReadonlySet<Socket>,
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
    for (const socket of unused) socket.destroy();
  });
}

const MALFORMED_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

function toEnvelope(message: string): string {
  return JSON.stringify({ message, code: "VALIDATION_ERROR", errors: [] });
}

function refuseExpectation(_request: http.IncomingMessage, response: http.ServerResponse): void {
  response.writeHead(417, { "content-type": "application/json" });
  response.end(toEnvelope("The header expect takes 100-continue alone."));
}

/** What is not HTTP gets the envelope too, and its connection is closed. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const status = MALFORMED_STATUS[error.code ?? ""] ?? "400 Bad Request";
  const body = toEnvelope(`The request is not well-formed HTTP: ${status.slice(4)}.`);
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

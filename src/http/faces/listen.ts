import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { clearTimeout, setImmediate, setTimeout } from "../../platform/real-time.ts";
import { NodeRequest } from "./node.ts";

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

/** A server's certificate with its chain, and its private key, in PEM. */
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
}

/** The pipeline checks the header Host. Clients keep a connection for later calls: a short timeout would race with them. */
const SETTINGS = {
  IncomingMessage: NodeRequest,
  requireHostHeader: false,
  keepAliveTimeout: 60_000,
};

/** @throws Error with the code EADDRINUSE if the port is busy. */
export async function listen(
  handler: http.RequestListener,
  { host, port, https }: ListenOptions,
): Promise<Listening> {
  const server = https
    ? (await import("node:https")).createServer(
        { ...SETTINGS, ...(https === true ? await selfSigned() : https) },
        handler,
      )
    : http.createServer(SETTINGS, handler);
  const open = new Set<Socket>();
  server.on(https ? "secureConnection" : "connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.on("clientError", refuseMalformed);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen({ host, port }, resolve);
  });
  const { port: taken, address } = server.address() as AddressInfo;
  // A wildcard address cannot be called, the loopback address can.
  const called = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const name = called.includes(":") ? `[${called}]` : called;
  return {
    url: `${https ? "https" : "http"}://${name}:${taken}`,
    port: taken,
    address,
    close: (graceMs) => closeServer(server, open, graceMs),
  };
}

/** listhen makes a certificate for a server of its own. Only HTTPS loads it, since it is large. */
async function selfSigned(): Promise<Certificate> {
  const { listen: listenWith } = await import("listhen");
  const { https, close } = await listenWith(() => undefined, {
    hostname: "127.0.0.1",
    port: { random: true },
    https: true,
    // Otherwise it guesses about the machine, prints, and handles signals.
    public: false,
    isProd: false,
    isTest: false,
    autoClose: false,
    showURL: false,
  });
  await close();
  return https as Certificate;
}

function closeServer(
  server: http.Server,
  open: ReadonlySet<Socket>,
  graceMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => open.forEach((socket) => socket.destroy()), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    // A connection ends with its last response. Later versions of Node add the second time to the first.
    Object.assign(server, { keepAliveTimeout: 1, keepAliveTimeoutBuffer: 0 });
    server.closeIdleConnections();
    // Browsers open connections in advance. Node does not count them as idle before their first request.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

/**
 * Resolves when clients in this process know that their connections are closed: it takes them some turns of the event
 * loop to read the end, end their own side, and remove the connection from those that they keep. More do no harm.
 */
export async function untilClientsKnow(): Promise<void> {
  for (let turns = 10; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
}

/** Answers malformed HTTP with the envelope and ends the connection. */
function refuseMalformed({ code, message }: NodeJS.ErrnoException, connection: Duplex): void {
  if (!connection.writable || code === "ECONNRESET") return void connection.destroy();
  const text = `The request is not well-formed HTTP: ${message.replace("Parse Error: ", "")}.`;
  const body = JSON.stringify({ message: text, code: "VALIDATION_ERROR", errors: [] });
  const headers = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
  const response = `HTTP/1.1 400 Bad Request\r\n${headers}\r\n\r\n${body}`;
  connection.end(response, () => connection.destroy());
}

import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterEach, beforeEach, vi } from "vitest";
import { type PostOutcome, type WebhookRequest, Sender } from "../../../src/delivery/sender.ts";

/** Long enough that a test which ends by it has failed. */
export const PATIENCE_MS = 20_000;

export let sender: Sender;
export const closing: (() => Promise<void>)[] = [];

export function post(url: string, members: Partial<WebhookRequest> = {}): Promise<PostOutcome> {
  return sender.post({ url, body: "{}", headers: {}, timeoutMs: PATIENCE_MS, ...members });
}

export interface Served {
  readonly url: string;
  readonly port: number;
  /** How many connections there were in all. */
  readonly connections: () => number;
}

export async function serve(
  answer: (...parts: Parameters<http.RequestListener>) => unknown,
  host = "127.0.0.1",
): Promise<Served> {
  const server = http.createServer((request, response) => {
    void answer(request, response);
  });
  return listen(server, host);
}

/** Answers each request with whatever the test writes. */
export async function serveRaw(answer: (socket: net.Socket) => unknown): Promise<Served> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", () => answer(socket));
  });
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
  });
  return listen(server, "127.0.0.1");
}

export async function listen(server: net.Server, host: string): Promise<Served> {
  let connections = 0;
  server.on("connection", () => connections++);
  server.listen(0, host);
  await once(server, "listening");
  closing.push(() => closeServer(server));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    connections: () => connections,
  };
}

export async function closeServer(server: net.Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  if (server instanceof http.Server) server.closeAllConnections();
  await closed;
}

export function useSender(): void {
  beforeEach(() => {
    sender = new Sender();
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const close of closing.splice(0)) await close();
  });
}

export function replaceSender(value: Sender): void {
  sender = value;
}

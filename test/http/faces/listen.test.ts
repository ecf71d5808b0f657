import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { connect, type Socket } from "node:net";
import tls from "node:tls";
import { H3, toNodeHandler } from "h3";
import { describe, expect, it } from "vitest";
import { listen, type Listening, type ListenOptions } from "../../../src/http/faces/listen.ts";

/** Longer than any test may take: what ends before it did not wait for it. */
const NO_GRACE_NEEDED_MS = 3_600_000;

/** No wait is meant to take this long: it is what a test says instead of hanging. */
const PATIENCE_MS = 30_000;

const OPTIONS = { host: "127.0.0.1", port: 0, https: false } as const;

describe("a server that closes", () => {
  it("does not wait for an idle connection over HTTPS, but for a response", async () => {
    const app = new H3().get("/slow", async () => {
      await closing;
      return "whole";
    });
    let isClosing = (): void => undefined;
    const closing = new Promise<void>((resolve) => {
      isClosing = resolve;
    });
    const listening = await listenTo(app, { ...OPTIONS, https: true });
    const trusting = { port: listening.port, host: "127.0.0.1", rejectUnauthorized: false };
    const idle = tls.connect(trusting).on("error", () => undefined);
    await once(idle, "secureConnect");
    const request = https.get({ ...trusting, path: "/slow", agent: false });
    const answered = once(request, "response") as Promise<[http.IncomingMessage]>;
    // Answered on another connection: by now the server has the request.
    await once(https.get({ ...trusting, path: "/", agent: false }), "response");

    const idleClosed = once(idle, "close");
    const closed = listening.close(NO_GRACE_NEEDED_MS);
    await idleClosed;
    isClosing();
    const [answer] = await answered;
    expect(Buffer.concat(await answer.toArray()).toString()).toBe("whole");
    await closed;
  });

  it("does not wait for an idle connection", async () => {
    const listening = await listenTo(new H3(), OPTIONS);
    const socket = connect(listening.port, "127.0.0.1").on("error", () => undefined);
    await once(socket, "connect");
    // Answered on another connection: by now the server has taken the first one too.
    await fetch(listening.url);

    const closed = once(socket, "close");
    await listening.close(NO_GRACE_NEEDED_MS);
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  it("lets the answer under way leave, and waits no longer than that", async () => {
    let end = (): void => undefined;
    const app = new H3().get(
      "/",
      () =>
        new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(new TextEncoder().encode("first, "));
            end = () => {
              controller.enqueue(new TextEncoder().encode("last"));
              controller.close();
            };
          },
        }),
    );
    const listening = await listenTo(app, OPTIONS);
    const agent = new http.Agent({ keepAlive: true });
    const [answer] = (await once(http.get(listening.url, { agent }), "response")) as [
      http.IncomingMessage,
    ];

    const closed = listening.close(NO_GRACE_NEEDED_MS);
    end();
    expect(Buffer.concat(await answer.toArray()).toString()).toBe("first, last");
    await closed;
    agent.destroy();
  });

  it("cuts running calls after its grace time", async () => {
    const app = new H3().get("/", () => new Promise(() => undefined));
    const listening = await listenTo(app, OPTIONS);
    const request = http.get(listening.url);
    const cut = once(request, "error");
    await once(request, "socket");
    await fetch(`${listening.url}/nowhere`);

    await listening.close(1);
    expect((await cut)[0]).toMatchObject({ code: "ECONNRESET" });
  });

  it("uses no other port than the given one", async () => {
    const first = await listenTo(new H3(), OPTIONS);
    await expect(listenTo(new H3(), { ...OPTIONS, port: first.port })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
    await first.close(NO_GRACE_NEEDED_MS);
  });
});

describe("a server with as many connections as it may have", { timeout: 60_000 }, () => {
  it("refuses and closes one more, and accepts another after one has closed", async () => {
    const app = new H3().get("/", () => "here");
    await using server = await listenFor(app, { maxConnections: 2 });
    const first = await server.connect();
    await server.connect();

    const refused = await server.connect();
    refused.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const text = await readAll(refused);
    expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(text).toMatch(/\r\nretry-after: 1\r\n/);
    expect(JSON.parse(text.split("\r\n\r\n")[1] ?? "")).toEqual({
      message:
        "The sandbox has 2 connections open and accepts no more. Close idle ones, or start it with a higher limit of open files (ulimit -n).",
      code: "EXTERNAL_ERROR",
      errors: [],
    });

    first.destroy();
    await expect.poll(() => statusOf(server.url), { timeout: PATIENCE_MS }).toBe(200);
  });

  it("still answers on those that it has", async () => {
    const app = new H3().get("/", () => "here");
    await using server = await listenFor(app, { maxConnections: 1 });
    const only = await server.connect();
    for (let count = 0; count < 20; count++) await readAll(await server.connect());

    only.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    expect(await readAll(only)).toMatch(/^HTTP\/1\.1 200 .*here$/s);
  });

  it("answers each of many that come at once", async () => {
    await using server = await listenFor(new H3(), { maxConnections: 0 });
    const sockets = await Promise.all(Array.from({ length: 50 }, () => server.connect()));
    const texts = await Promise.all(sockets.map(readAll));
    expect(new Set(texts.map((text) => text.slice(0, 12)))).toEqual(new Set(["HTTP/1.1 503"]));
  });
});

function listenTo(app: H3, options: ListenOptions): Promise<Listening> {
  return listen(toNodeHandler(app), options);
}

async function statusOf(url: string): Promise<number> {
  return (await fetch(url)).status;
}

/** A server, and sockets to it that do not outlive the test. */
async function listenFor(app: H3, options: Partial<ListenOptions> = {}) {
  const listening = await listenTo(app, { ...OPTIONS, ...options });
  const sockets: Socket[] = [];
  return {
    url: listening.url,
    async connect(): Promise<Socket> {
      const socket = connect(listening.port, "127.0.0.1");
      sockets.push(socket);
      await once(socket, "connect");
      return socket;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await listening.close(NO_GRACE_NEEDED_MS);
    },
  };
}

/** All that comes, until the other side says no more. */
async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
  return text;
}

import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { describe, expect, it, vi } from "vitest";
import { Cancellation } from "../../../src/delivery/cancellation.ts";
import { Sender } from "../../../src/delivery/sender.ts";
import { deferred, turns, watch } from "../../support/core.ts";
import { freePort } from "../../support/process.ts";
import {
  PATIENCE_MS,
  closeServer,
  closing,
  listen,
  post,
  sender,
  serve,
  serveRaw,
  type Served,
  useSender,
} from "./sender.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

vi.mock(import("node:dns"), async (load) => (await import("./fake-dns.ts")).fakeDns(await load()));

useSender();

describe("a POST without a response", () => {
  it("names each address that refused it", async () => {
    const port = await freePort();

    expect((await post(`http://both.test:${port}/`)).error).toBe(
      `ECONNREFUSED 127.0.0.1:${port}, ECONNREFUSED [::1]:${port}`,
    );
  });

  describe("to a URL whose credentials cannot be decoded", () => {
    const withCredentials = (url: string): string => url.replace("//", "//u%zz:p@");
    const failed = {
      status: null,
      error: "URI malformed",
      response: null,
      durationMs: expect.any(Number),
    };

    it("reports it, be it the first one or a later one, and takes no connection", async () => {
      const { url, connections } = await serve((_request, response) => response.end());
      useFakeTimers();

      expect(await post(withCredentials(url))).toEqual(failed);
      expect(connections()).toBe(0);
      for (const _ of [1, 2]) {
        expect(await post(url)).toMatchObject({ status: 200 });
        expect(await post(withCredentials(url))).toEqual(failed);
      }
      expect(connections()).toBe(1);
      expect(vi.getTimerCount()).toBe(0);
    });

    it("reports it after a refusal, and does not connect", async () => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      expect((await post(url)).error).toContain("ECONNREFUSED");
      const server = http.createServer((_request, response) => response.end());
      let connections = 0;
      server.on("connection", () => connections++);
      await once(server.listen(port, "127.0.0.1"), "listening");
      closing.push(() => closeServer(server));
      useFakeTimers();

      expect(await post(withCredentials(url))).toEqual(failed);
      expect(connections).toBe(0);
      expect(await post(url)).toMatchObject({ status: 200 });
      expect(connections).toBe(1);
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  it("is the same after a refusal: its address is named again, and what it sends arrives once", async () => {
    const port = await freePort();
    const url = `http://localhost:${port}/hook`;
    const { error } = await post(url);
    expect((await post(url)).error).toBe(error);
    expect(error).toContain(`ECONNREFUSED 127.0.0.1:${port}`);

    const bodies: string[] = [];
    const server = http.createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      bodies.push(`${request.url} ${request.headers.host} ${text}`);
      response.end("ok");
    });
    let connections = 0;
    server.on("connection", () => connections++);
    await once(server.listen(port, "127.0.0.1"), "listening");
    closing.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });

    for (let count = 0; count < 2; count++)
      expect(await post(url, { body: "{}" })).toMatchObject({ status: 200, response: "ok" });
    expect(bodies).toEqual(Array(2).fill(`/hook localhost:${port} {}`));
    expect(connections).toBe(1);
  });

  it.each(["127.0.0.1", "both.test"])("connects closed sockets again: %s", async (host) => {
    const port = await freePort();
    const url = `http://${host}:${port}/`;
    const { error } = await post(url);
    expect(error).toContain(`ECONNREFUSED 127.0.0.1:${port}`);
    const connect = vi.spyOn(net.Socket.prototype, "connect");
    for (let count = 0; count < 8; count++)
      expect(await post(url)).toMatchObject({ status: null, error });
    const others = await Promise.all(Array.from({ length: 8 }, () => post(url)));
    expect(others.map((one) => one.error)).toEqual(Array(8).fill(error));
    const sockets = connect.mock.contexts;
    connect.mockRestore();

    expect(sockets).toHaveLength(16);
    expect(new Set(sockets.slice(0, 8)).size).toBeLessThan(5);
    expect(new Set(sockets.slice(8)).size).toBe(8);
    const other = await freePort();
    for (let count = 0; count < 2; count++)
      expect((await post(`http://127.0.0.1:${other}/`)).error).toBe(
        `ECONNREFUSED 127.0.0.1:${other}`,
      );
  });

  it("ends when it is canceled while it connects again", async () => {
    const port = await freePort();
    await post(`http://both.test:${port}/`);
    const cancellation = new Cancellation();
    const outcome = post(`http://both.test:${port}/`, { cancellation });
    cancellation.cancel();
    expect((await outcome).error).toBe("it was given up");
  });

  it("names what cannot be found", async () => {
    const { error, status } = await post("http://there-is-no-such-name.invalid/");

    expect(status).toBeNull();
    expect(error).toMatch(/there-is-no-such-name\.invalid/);
  });

  it("is over when the connection is reset", async () => {
    const { url, connections } = await serveRaw((socket) => socket.resetAndDestroy());

    const { status, error } = await post(url);
    expect(status).toBeNull();
    expect(error).toMatch(/ECONNRESET/);
    expect(connections()).toBe(1);
  });

  it("is over when the connection is closed without a word", async () => {
    const { url, connections } = await serveRaw((socket) => socket.end());

    expect(await post(url)).toMatchObject({
      status: null,
      error: expect.stringMatching(/ECONNRESET|hang up/),
    });
    expect(connections()).toBe(1);
  });

  it.each([
    ["words", "Good morning, this is no HTTP.\r\n\r\n"],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["a status that is none", "HTTP/1.1 abc OK\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nok"],
    [
      "headers without an end",
      `HTTP/1.1 200 OK\r\n${"x-filler: 0123456789abcdef\r\n".repeat(5000)}`,
    ],
    ["a chunk of no length", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nok\r\n"],
  ])("is over when the answer is not HTTP: %s", async (_title, text) => {
    const { url } = await serveRaw((socket) => socket.write(text));

    expect(await post(url)).toMatchObject({
      status: null,
      error: expect.stringMatching(/HPE_|Parse Error/),
    });
  });

  it("is over when the answer changes to another protocol", async () => {
    const { url } = await serveRaw((socket) =>
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
      ),
    );

    const { status, error } = await post(url, { timeoutMs: 500 });
    expect(status).toBeNull();
    expect(error).not.toMatch(/no answer within/);
  });

  it.each([
    ["its length", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nten bytes."],
    ["its last chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n"],
    ["its headers", "HTTP/1.1 200 OK\r\ncontent-le"],
  ])("is no success when the answer ends before %s", async (_title, text) => {
    const { url } = await serveRaw((socket) => socket.end(text));

    const { status, error } = await post(url);
    expect(status).toBeNull();
    expect(error).toMatch(/\w/);
  });

  it("reports a TLS error if the merchant does not support TLS", async () => {
    const { url } = await serve((_request, response) => response.end());

    const { status, error } = await post(url.replace("http:", "https:"));
    expect(status).toBeNull();
    expect(error).toMatch(/^(?:EPROTO|ERR_SSL_\w+) [\w ]+$/);
  });
});

describe("a POST whose time is over", () => {
  it("is aborted while it waits for the response", async () => {
    const { url } = await serveRaw(() => undefined);

    expect(await post(url, { timeoutMs: 40 })).toMatchObject({
      status: null,
      error: "no answer within 0.04 s",
      response: null,
    });
  });

  it("ends while the answer's headers drip", async () => {
    const { url } = await serveRaw((socket) => drip(socket, "HTTP/1.1 200 OK\r\nx-slow: "));

    expect(await post(url, { timeoutMs: 40 })).toMatchObject({
      status: null,
      error: "no answer within 0.04 s",
    });
  });

  it("ends while the answer's body drips", async () => {
    const { url } = await serveRaw((socket) =>
      drip(socket, "HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n"),
    );

    expect(await post(url, { timeoutMs: 40 })).toMatchObject({
      status: null,
      error: "no answer within 0.04 s",
      response: null,
    });
  });

  it("ends even if a byte arrives every second", async () => {
    useFakeTimers();
    const connected = deferred<net.Socket>();
    const { url } = await serveRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n");
      connected.resolve(socket);
    });
    const outcome = post(url, { timeoutMs: 10_000 });
    const state = watch(outcome);
    const socket = await connected.promise;
    for (let second = 1; second < 10; second++) {
      vi.advanceTimersByTime(1000);
      socket.write("x");
      await turns();
      // What the machine itself took, be it busy, counts as well.
      if (second <= 5) expect(state.isSettled).toBe(false);
    }
    vi.advanceTimersByTime(1000);

    expect(await outcome).toMatchObject({
      status: null,
      error: "no answer within 10 s",
      response: null,
    });
  });

  it("ends after five seconds without a connection", async () => {
    useFakeTimers();
    // It takes connections and never says a word, so that no TLS comes about.
    const { port, connected } = await serveSilence();
    const outcome = post(`https://127.0.0.1:${port}/`, { timeoutMs: 10_000 });
    await connected;
    const state = watch(outcome);
    vi.advanceTimersByTime(1000);
    await turns();
    expect(state.isSettled).toBe(false);
    vi.advanceTimersByTime(4000);

    expect(await outcome).toMatchObject({ status: null, error: "no connection within 5 s" });
  });

  it.each([1000, 5000])(
    "ends no later for want of a connection than it would anyhow: %i ms",
    async (timeoutMs) => {
      useFakeTimers();
      const { port, connected } = await serveSilence();
      const outcome = post(`https://127.0.0.1:${port}/`, { timeoutMs });
      await connected;
      vi.advanceTimersByTime(timeoutMs);

      expect(await outcome).toMatchObject({
        status: null,
        error: `no answer within ${timeoutMs / 1000} s`,
      });
    },
  );

  it("has its whole timeout for the response after connecting", async () => {
    useFakeTimers();
    const arrived = deferred<http.ServerResponse>();
    const { url } = await serve((_request, response) => arrived.resolve(response));
    const outcome = post(url, { timeoutMs: 10_000 });
    const response = await arrived.promise;
    vi.advanceTimersByTime(5001);
    response.end("at last");

    expect(await outcome).toMatchObject({ status: 200, error: null, response: "at last" });
  });

  it("needs no time for a connection that is open already", async () => {
    useFakeTimers();
    const arrived = [deferred<http.ServerResponse>(), deferred<http.ServerResponse>()];
    let count = 0;
    const { url, connections } = await serve((_request, response) =>
      arrived[count++]?.resolve(response),
    );
    const first = post(url, { timeoutMs: 10_000 });
    (await arrived[0]?.promise)?.end();
    await first;
    await turns();
    const second = post(url, { timeoutMs: 10_000 });
    await arrived[1]?.promise;
    vi.advanceTimersByTime(10_000);

    expect(await second).toMatchObject({ status: null, error: "no answer within 10 s" });
    expect(connections()).toBe(1);
  });

  it("closes its connection", async () => {
    const closed = deferred();
    const { url } = await serveRaw((socket) => socket.once("close", () => closed.resolve()));
    await post(url, { timeoutMs: 500 });

    await expect(closed.promise).resolves.toBeUndefined();
  });

  it.each([2 ** 31 - 1, 2 ** 31, 3_000_000_000, 999_999_999_999_999_000])(
    "has time enough where that is longer than a timer can be: %i ms",
    async (timeoutMs) => {
      const held = deferred<http.ServerResponse>();
      const { url } = await serve((_request, response) => held.resolve(response));
      const silent = await serveRaw(() => undefined);
      const patient = post(url, { timeoutMs });
      // A timer that was too long rings after a millisecond, so before this one.
      await post(silent.url, { timeoutMs: 40 });
      await Promise.race([held.promise.then((response) => response.end("at last")), patient]);

      expect(await patient).toMatchObject({ status: 200, error: null, response: "at last" });
    },
  );
});

describe("a POST that is given up", () => {
  it.each([
    ["while it waits", (): void => undefined],
    [
      "while the answer comes",
      (socket: net.Socket): void => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nten bytes.");
      },
    ],
  ])("ends at once, says why, and closes its connection: %s", async (_title, answer) => {
    const arrived = deferred();
    const closed = deferred();
    const { url } = await serveRaw((socket) => {
      socket.once("close", () => closed.resolve());
      answer(socket);
      arrived.resolve();
    });
    const outcome = post(url);
    await arrived.promise;
    sender.abort(new Error("the sandbox stopped"));

    expect(await outcome).toMatchObject({
      status: null,
      error: "the sandbox stopped",
      response: null,
    });
    await closed.promise;
  });

  it("ends before it has a connection, and leaves no timer behind", async () => {
    useFakeTimers();
    const { url } = await serve((_request, response) => response.end());
    const outcome = post(url);
    sender.abort(new Error("the sandbox stopped"));

    expect(await outcome).toMatchObject({ status: null, error: "the sandbox stopped" });
    await turns(20);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends on a connection that was open already, and is not sent again", async () => {
    let requests = 0;
    const arrived = deferred();
    const { url } = await serve((_request, response) => {
      if (requests++ === 0) response.end();
      else arrived.resolve();
    });
    await post(url);
    const outcome = post(url);
    await arrived.promise;
    sender.abort(new Error("the sandbox stopped"));

    expect(await outcome).toMatchObject({ status: null, error: "the sandbox stopped" });
    await turns(20);
    expect(requests).toBe(2);
  });

  it("ends with all others that are in flight, and with none that is over", async () => {
    const arrived = deferred();
    let requests = 0;
    const { url } = await serve((request, response) => {
      if (request.url === "/answered") response.end();
      else if (++requests === 5) arrived.resolve();
    });
    const answered = await post(`${url}/answered`);
    const outcomes = Array.from({ length: 5 }, () => post(url));
    await arrived.promise;
    sender.abort(new Error("the sandbox stopped"));

    expect(answered).toMatchObject({ status: 200 });
    for (const { error } of await Promise.all(outcomes)) expect(error).toBe("the sandbox stopped");
  });

  it("is not sent if it was canceled before", async () => {
    const { url, connections } = await serve((_request, response) => response.end());
    const cancellation = new Cancellation();
    cancellation.cancel();

    expect(await post(url, { cancellation })).toMatchObject({ status: null });
    await turns(20);
    expect(connections()).toBe(0);
  });

  it("leaves those of other senders open, and those that come later", async () => {
    const held = deferred<http.ServerResponse>();
    const { url } = await serve((request, response) => {
      if (request.url === "/other") held.resolve(response);
      else response.end();
    });
    const another = new Sender();
    closing.push(async () => another.close());
    const other = another.post({
      url: `${url}/other`,
      body: "{}",
      headers: {},
      timeoutMs: PATIENCE_MS,
    });
    const response = await held.promise;
    sender.abort(new Error("the sandbox stopped"));
    response.end("still here");

    expect(await other).toMatchObject({ status: 200, response: "still here" });
    expect(await post(url)).toMatchObject({ status: 200, error: null });
  });
});

describe("many POSTs without a response", () => {
  it("leave no connection behind", async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((kind) => /TCP|Timeout/.test(kind)).length;
    await post(url);
    const before = sockets();
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 100 }, () => post(url)));
    await turns();

    expect(sockets()).toBeLessThanOrEqual(before);
  });
});

/** Timers go as the test moves them; sockets stay as they are. */
function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
}

/** Takes connections, and never says a word on any of them. */
async function serveSilence(): Promise<Served & { readonly connected: Promise<void> }> {
  const { promise, resolve } = deferred();
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    resolve();
  });
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
  });
  return { ...(await listen(server, "127.0.0.1")), connected: promise };
}

/** Writes a byte every few milliseconds: never silent for long, never done. */
function drip(socket: net.Socket, start: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write("x"), 5);
  socket.once("close", () => clearInterval(timer));
}

import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Cancellation } from "../../../src/delivery/cancellation.ts";
import {
  type Destinations,
  lookupFor,
  type PostOutcome,
  type WebhookRequest,
  readRetryAfterMs,
  Sender,
} from "../../../src/delivery/sender.ts";
import { deferred, turns, watch } from "../../support/core.ts";
import { freePort } from "../../support/process.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

/** Names that stand for what a resolver would find; every other name is looked up for real. */
const NAMES: Record<string, readonly string[]> = {
  "both.test": ["127.0.0.1", "::1"],
  "both-turned.test": ["::1", "127.0.0.1"],
  "link-local.test": ["169.254.0.7"],
  "link-local-6.test": ["fe80::7", "169.254.0.7"],
  "mapped.test": ["::ffff:169.254.0.7"],
  "metadata.test": ["168.63.129.16", "192.0.0.192", "fd20:ce::254", "64:ff9b:1::a83f:8110"],
  "mixed.test": ["169.254.0.7", "127.0.0.1"],
  "elsewhere.test": ["192.0.2.1", "2001:db8::1"],
  "partly-here.test": ["192.0.2.1", "127.0.0.1"],
  "here.test": ["127.0.0.1", "::1", "::ffff:127.0.0.1"],
};

vi.mock(import("node:dns"), async (importOriginal) => {
  const dns = await importOriginal();
  const lookup = (
    name: string,
    options: object,
    callback: (error: Error | null, addresses: { address: string; family: number }[]) => void,
  ): void => {
    const found = NAMES[name];
    if (!found) return dns.lookup(name, options as { all: true }, callback);
    const addresses = found.map((address) => ({ address, family: net.isIP(address) }));
    setImmediate(() => callback(null, addresses));
  };
  return { ...dns, lookup: lookup as typeof dns.lookup };
});

/** Long enough that a test which ends by it has failed. */
const PATIENCE_MS = 20_000;
const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

let sender: Sender;
const closing: (() => Promise<void>)[] = [];

beforeEach(() => {
  sender = new Sender();
});

afterEach(async () => {
  vi.useRealTimers();
  sender.close();
  for (const close of closing.splice(0)) await close();
});

describe("a POST that is answered", () => {
  it.each([200, 201, 202, 204, 299, 304, 400, 404, 410, 429, 500, 503])(
    "tells its status: %i",
    async (status) => {
      const { url } = await serve((_request, response) => response.writeHead(status).end());

      expect(await post(url)).toEqual({
        status,
        error: null,
        response: "",
        durationMs: expect.any(Number),
      });
    },
  );

  it("carries the very bytes, with its headers and its length", async () => {
    const body = '{"name":"José 😀 \\u2028"}';
    const got = deferred<{
      method: string;
      headers: http.IncomingHttpHeaders;
      bytes: Buffer;
      path: string;
    }>();
    const { url } = await serve(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = "", headers, url: at = "" } = request;
      got.resolve({ method, headers, path: at, bytes: Buffer.concat(chunks) });
      response.end("thanks");
    });
    const outcome = await post(`${url}/hook?one=two`, { body, headers: { "webhook-id": "evt_1" } });

    expect(outcome).toMatchObject({ status: 200, response: "thanks" });
    const { method, headers, bytes, path } = await got.promise;
    expect([method, path]).toEqual(["POST", "/hook?one=two"]);
    expect(bytes).toEqual(Buffer.from(body));
    expect(headers).toMatchObject({
      "webhook-id": "evt_1",
      "content-length": String(Buffer.byteLength(body)),
      host: new URL(url).host,
    });
    expect(headers).not.toHaveProperty("transfer-encoding");
  });

  it.each([
    ["user:p%40ss@", "user:p@ss"],
    ["us%20er@", "us er:"],
  ])("carries the credentials of its URL: %s", async (credentials, text) => {
    const { url } = await serve((request, response) => response.end(request.headers.authorization));

    expect((await post(url.replace("//", `//${credentials}`))).response).toBe(
      `Basic ${Buffer.from(text).toString("base64")}`,
    );
  });

  it.each([301, 302, 303, 307, 308])("does not follow a redirect: %i", async (status) => {
    const seen: string[] = [];
    const { url } = await serve((request, response) => {
      seen.push(request.url ?? "");
      response.writeHead(status, { location: "/elsewhere" }).end();
    });

    expect(await post(`${url}/hook`)).toMatchObject({
      status,
      error: null,
      location: "/elsewhere",
    });
    await post(`${url}/hook`);
    expect(seen).toEqual(["/hook", "/hook"]);
  });

  it.each([
    [301, "http://192.0.2.1/never called"],
    [302, "https://example.com/hook?one=two#three"],
    [307, ""],
    [399, "not a URL at all"],
    [300, "/elsewhere"],
  ])("tells where it was sent on to, as it was said: %i %s", async (status, location) => {
    const { url } = await serveRaw((socket) =>
      socket.write(`HTTP/1.1 ${status} On\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
    );

    expect((await post(url)).location).toBe(location);
  });

  it("stores 2,048 characters of a redirect's target", async () => {
    const { url } = await serve((_request, response) =>
      response.writeHead(302, { location: "x".repeat(2049) }).end(),
    );

    expect((await post(url)).location).toBe("x".repeat(2048));
  });

  it.each([
    [301, {}],
    [200, { location: "/elsewhere" }],
    [201, { location: "/elsewhere" }],
    [404, { location: "/elsewhere" }],
  ])("was sent on to nowhere: %i with %o", async (status, headers) => {
    const { url } = await serve((_request, response) => response.writeHead(status, headers).end());

    expect(await post(url)).not.toHaveProperty("location");
  });

  it.each([
    ["120", 120_000],
    ["0", 0],
    ["  7  ", 7000],
    ["Fri, 31 Dec 1999 23:59:59 GMT", 0],
    ["soon", undefined],
    ["", undefined],
  ])(
    "tells how long it asks to wait, be it a success or not: retry-after: %j",
    async (text, ms) => {
      for (const status of [200, 429, 503]) {
        const { url } = await serve((_request, response) =>
          response.writeHead(status, { "retry-after": text }).end(),
        );
        const outcome = await post(url);
        expect(outcome).toMatchObject({ status });
        if (ms === undefined) expect(outcome).not.toHaveProperty("retryAfterMs");
        else expect(outcome.retryAfterMs).toBe(ms);
      }
    },
  );

  it("requests no wait if its retry-after is a past date", async () => {
    const { url } = await serve((_request, response) =>
      response.writeHead(503, { "retry-after": new Date(Date.now() - 1000).toUTCString() }).end(),
    );

    expect((await post(url)).retryAfterMs).toBe(0);
  });

  it("ignores informational responses", async () => {
    const { url } = await serveRaw((socket) =>
      socket.write(
        `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ANSWER}`,
      ),
    );

    expect(await post(url)).toMatchObject({ status: 200, error: null, response: "ok" });
  });

  it.each([
    ["its status", ["HTTP/1.1 1", `00 Continue\r\n\r\n${ANSWER}`]],
    ["its empty line", ["HTTP/1.1 100 Continue\r\n", `\r\n${ANSWER}`]],
    ["its end", ["HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n", ANSWER]],
    ["an empty line", ["\r\n", `HTTP/1.1 100 Continue\r\n\r\n${ANSWER}`]],
  ])("ignores a 100 Continue in two packets, the second from %s on", async (_place, packets) => {
    const { url } = await serveRaw(async (socket) => {
      socket.setNoDelay(true);
      for (const packet of packets) {
        await new Promise((resolve) => socket.write(packet, resolve));
        // The other side of the socket is in this process, too.
        for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      }
    });

    expect(await post(url)).toMatchObject({ status: 200, error: null, response: "ok" });
    expect(await post(url)).toMatchObject({ status: 200, error: null, response: "ok" });
  });

  it("reads an answer that comes before its body is taken", async () => {
    const { url } = await serve((_request, response) => response.writeHead(413).end("too much"));

    expect(await post(url, { body: "x".repeat(100_000) })).toMatchObject({
      status: 413,
      response: "too much",
    });
  });

  it("reads an answer that ends with its connection", async () => {
    const { url } = await serveRaw((socket) =>
      socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nthe end"),
    );

    expect(await post(url)).toMatchObject({ status: 200, error: null, response: "the end" });
  });

  it("reads the parts of a response in their order", async () => {
    const { url } = await serveRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n");
      socket.end("3\r\ntwo\r\n0\r\n\r\n");
    });

    expect(await post(url)).toMatchObject({ status: 200, response: "onetwo" });
  });

  it("stores a whole response of 16 KiB", async () => {
    const text = "a".repeat(16 * 1024);
    const { url } = await serve((_request, response) => response.end(text));

    expect((await post(url)).response).toBe(text);
  });

  it("cuts an answer of 10 MB at 16 KiB, and uses its connection no more", async () => {
    const closed = deferred();
    const { url, connections } = await serve((request, response) => {
      if (connections() > 1) return response.end("short");
      request.socket.once("close", () => closed.resolve());
      return response.end("a".repeat(10_000_000));
    });
    const outcome = await post(url);

    expect(outcome).toMatchObject({ status: 200, error: null, response: "a".repeat(16 * 1024) });
    await closed.promise;
    expect(await post(url)).toMatchObject({ status: 200, response: "short" });
    expect(connections()).toBe(2);
  });

  it("cuts an answer that never ends, and closes its connection", async () => {
    const closed = deferred();
    const { url } = await serveRaw((socket) => {
      socket.once("close", () => closed.resolve());
      const write = (): void => {
        while (!socket.destroyed && socket.write("b".repeat(65_536)));
      };
      socket.on("drain", write);
      socket.write("HTTP/1.1 500 Oh\r\n\r\n");
      write();
    });

    expect(await post(url)).toMatchObject({
      status: 500,
      error: null,
      response: "b".repeat(16 * 1024),
    });
    await closed.promise;
  });

  it.each([10_080, 6000, 6666, 5060])("can go to a port that browsers refuse: %i", async (port) => {
    const server = http.createServer((_request, response) => response.end());
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (isFree) closing.push(() => closeServer(server));

    // Whoever holds the port speaks: what counts is that it was asked.
    expect((await post(`http://127.0.0.1:${port}/`)).error ?? "").not.toMatch(/port|not allowed/i);
    expect(isFree ? (await post(`http://127.0.0.1:${port}/`)).status : 200).toBe(200);
  });
});

describe("a retry-after", () => {
  const NOW_MS = Date.parse("2026-11-21T12:00:00.000Z");

  it.each([
    ["0", 0],
    ["1", 1000],
    ["007", 7000],
    ["86400", 86_400_000],
    ["999999999", 999_999_999_000],
    ["Sat, 21 Nov 2026 12:00:30 GMT", 30_000],
    ["Sun, 22 Nov 2026 12:00:00 GMT", 86_400_000],
    ["Sat, 21 Nov 2026 12:00:00 GMT", 0],
    ["Sat, 21 Nov 2026 11:59:59 GMT", 0],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ])("is seconds, or a date: %s", (text, ms) => {
    expect(readRetryAfterMs(text, NOW_MS)).toBe(ms);
  });

  it.each([
    undefined,
    "",
    " ",
    "-1",
    "+1",
    "1.5",
    "1e3",
    "0x10",
    "1 s",
    "1, 2",
    "١",
    "12345678901234567890",
    "Infinity",
    "NaN",
    "soon",
    "2026-11-21T13:00:00Z",
    "Xyz, 99 Foo 2026 99:99:99 GMT",
    "Sat, ",
    "__proto__",
  ])("asks nothing where it is anything else: %j", (text) => {
    expect(readRetryAfterMs(text, NOW_MS)).toBeUndefined();
  });
});

describe("a POST without a response", () => {
  it("names the address that refused it", async () => {
    const port = await freePort();

    expect(await post(`http://127.0.0.1:${port}/`)).toEqual({
      status: null,
      error: `ECONNREFUSED 127.0.0.1:${port}`,
      response: null,
      durationMs: expect.any(Number),
    });
  });

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

describe("a keep-alive connection", () => {
  it("is used again", async () => {
    const { url, connections } = await serve((_request, response) => response.end("ok"));
    for (let count = 0; count < 5; count++) expect(await post(url)).toMatchObject({ status: 200 });

    expect(connections()).toBe(1);
  });

  it("is used again after a failure's answer and after an empty one", async () => {
    let count = 0;
    const { url, connections } = await serve((_request, response) =>
      response.writeHead([500, 204, 301, 200][count++] ?? 200).end(),
    );
    for (let posts = 0; posts < 4; posts++) await post(url);

    expect(connections()).toBe(1);
  });

  it("is one for each POST that is under way", async () => {
    const held: http.ServerResponse[] = [];
    const all = deferred();
    const { url, connections } = await serve((_request, response) => {
      if (held.push(response) === 3) all.resolve();
    });
    const posts = [post(url), post(url), post(url)];
    await all.promise;
    for (const response of held) response.end();
    await Promise.all(posts);

    expect(connections()).toBe(3);
  });

  it("is closed soon for POSTs that wait, if the server handles one connection at a time", async () => {
    const { url } = await serveOneAtATime();
    const posts = Array.from({ length: 8 }, () => post(url, { timeoutMs: 1500 }));
    for (const outcome of await Promise.all(posts)) expect(outcome).toMatchObject({ status: 200 });
  });

  it("is closed between two POSTs for one that waits, if the server handles one connection at a time", async () => {
    const { url } = await serveOneAtATime();
    await post(url);
    const waiting: PostOutcome[] = [];
    void post(url, { timeoutMs: 1500, isOnNewConnection: true }).then((outcome) =>
      waiting.push(outcome),
    );
    while (waiting.length === 0)
      expect(await post(url, { timeoutMs: 1500 })).toMatchObject({ status: 200 });
    expect(waiting).toMatchObject([{ status: 200 }]);
  });

  it("that is reset when it is reused ends the POST, which is one request and reports it", async () => {
    const { url, connections, requests } = await serveOnceEach();
    expect(await post(url)).toMatchObject({ status: 200, error: null });
    expect(await post(url)).toEqual({
      status: null,
      error: expect.stringMatching(
        /^(ECONNRESET|EPIPE): the receiver closed the kept connection just as it was used again$/,
      ) as string,
      response: null,
      durationMs: expect.any(Number) as number,
      isStaleConnection: true,
    });

    expect([connections(), requests()]).toEqual([1, 2]);
  });

  it.each([1, 3, 8])("is not used by a POST on a new one, although %i are open", async (count) => {
    const { url, connections, requests } = await serveOnceEach(count);
    await Promise.all(Array.from({ length: count }, () => post(url)));

    expect(await post(url, { isOnNewConnection: true })).toMatchObject({ status: 200 });
    expect([connections(), requests()]).toEqual([count + 1, count + 1]);
  });

  it("is replaced before the next POST if the server has closed it", async () => {
    const closed = deferred();
    const { url, connections } = await serve((request, response) => {
      response.end("ok");
      request.socket.once("close", () => closed.resolve());
      response.once("finish", () => request.socket.end());
    });
    await post(url);
    await closed.promise;

    expect(await post(url)).toMatchObject({ status: 200, error: null });
    expect(connections()).toBe(2);
  });

  it("is closed if anything follows the response", async () => {
    const { url, connections } = await serveRaw((socket) => socket.write(`${ANSWER} and more`));
    for (let count = 0; count < 2; count++)
      expect(await post(url)).toMatchObject({ status: 200, response: "ok" });

    expect(connections()).toBe(2);
  });

  it("is not to blame if a new one is reset", async () => {
    const { url } = await serveRaw((socket) => socket.resetAndDestroy());

    const outcome = await post(url);
    expect(outcome.error).toMatch(/ECONNRESET/);
    expect(outcome).not.toHaveProperty("isStaleConnection");
  });

  it("is closed with the sender", async () => {
    const closed = deferred();
    const { url } = await serve((request, response) => {
      request.socket.once("close", () => closed.resolve());
      response.end();
    });
    await post(url);
    sender.close();

    await expect(closed.promise).resolves.toBeUndefined();
  });
});

describe("a name", () => {
  it.each(["link-local.test", "link-local-6.test", "mapped.test", "metadata.test"])(
    "that resolves to link-local and metadata addresses alone is not called: %s",
    async (name) => {
      await expect(lookUp(name)).rejects.toThrow(
        `not sent: ${name} is a link-local or metadata address, where no webhook may go`,
      );
    },
  );

  it.each(["localhost", "a.localhost", "LOCALHOST."])(
    "that is this machine's own is both loopback addresses, whatever a resolver says: %s",
    async (name) => {
      expect(await lookUp(name, "loopback")).toEqual([
        { address: "127.0.0.1", family: 4 },
        { address: "::1", family: 6 },
      ]);
    },
  );

  it("that resolves to such an address among others is called only at the others", async () => {
    expect(await lookUp("mixed.test")).toEqual([{ address: "127.0.0.1", family: 4 }]);
  });

  it.each(["169.254.0.7", "[fe80::7]", "[::ffff:169.254.0.7]", "[::ffff:168.63.129.16]"])(
    "that is a link-local or metadata address itself is not called: %s",
    async (host) => {
      // Whatever becomes of the refusal, nothing leaves for such an address from here.
      using connect = vi.spyOn(net.Socket.prototype, "connect").mockImplementation(() => {
        throw new Error("it was called");
      });
      expect(await post(`http://${host}/`)).toMatchObject({
        status: null,
        error: expect.stringContaining(
          "is a link-local or metadata address, where no webhook may go",
        ) as string,
        response: null,
      });
      expect(connect).not.toHaveBeenCalled();
    },
  );

  it.each([
    ["both.test", "127.0.0.1"],
    ["both.test", "::1"],
    ["both-turned.test", "127.0.0.1"],
    ["both-turned.test", "::1"],
  ])("of both families reaches the merchant who listens on one: %s on %s", async (name, host) => {
    const { port } = await serve((_request, response) => response.end(), host);

    expect(await post(`http://${name}:${port}/`)).toMatchObject({ status: 200, error: null });
  });

  it("is found on this machine as localhost", async () => {
    const { port } = await serve((_request, response) => response.end(), "localhost");

    expect(await post(`http://localhost:${port}/`)).toMatchObject({ status: 200, error: null });
  });
});

describe("port 0", () => {
  it("is not called", async () => {
    using connect = vi.spyOn(net.Socket.prototype, "connect");
    expect(await post("http://127.0.0.1:0/")).toMatchObject({
      status: null,
      error: "port 0 cannot be called; use the receiver's port",
    });
    expect(connect).not.toHaveBeenCalled();
  });
});

describe("a sender that may reach only this machine", () => {
  beforeEach(() => {
    sender = new Sender("loopback");
  });

  it.each([
    "192.0.2.1",
    "10.0.0.1",
    "192.168.0.1",
    "128.0.0.1",
    "0.0.0.0",
    "[2001:db8::1]",
    "[::]",
    "[::ffff:192.0.2.1]",
    "3221225985",
  ])("calls no other address: %s", async (host) => {
    // Whatever becomes of the refusal, nothing leaves for such an address from here.
    using connect = vi.spyOn(net.Socket.prototype, "connect").mockImplementation(() => {
      throw new Error("it was called");
    });
    const { hostname } = new URL(`http://${host}/`);
    expect(await post(`http://${host}/`)).toMatchObject({
      status: null,
      error: `not sent: ${hostname.replace(/^\[|\]$/g, "")} is not this machine, and --webhook-allow loopback lets webhooks go nowhere else`,
      response: null,
    });
    expect(connect).not.toHaveBeenCalled();
  });

  it("calls no name of another machine", async () => {
    expect(await post("http://elsewhere.test/")).toMatchObject({
      status: null,
      error:
        "not sent: elsewhere.test is not this machine, and --webhook-allow loopback lets webhooks go nowhere else",
    });
    await expect(lookUp("link-local.test", "loopback")).rejects.toThrow("is not this machine");
  });

  it("calls a name at those of its addresses that are this machine's", async () => {
    expect(await lookUp("partly-here.test", "loopback")).toEqual([
      { address: "127.0.0.1", family: 4 },
    ]);
    expect(await lookUp("here.test", "loopback")).toEqual([
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
      { address: "::ffff:127.0.0.1", family: 6 },
    ]);
    const { port } = await serve((_request, response) => response.end());
    expect(await post(`http://partly-here.test:${port}/`)).toMatchObject({ status: 200 });
  });

  it.each(["127.0.0.1", "localhost", "127.1", "[::ffff:127.0.0.1]"])(
    "calls this machine: %s",
    async (host) => {
      const { port } = await serve((_request, response) => response.end());

      expect(await post(`http://${host}:${port}/`)).toMatchObject({ status: 200, error: null });
    },
  );

  it("calls this machine at IPv6", async () => {
    const { port } = await serve((_request, response) => response.end(), "::1");

    expect(await post(`http://[::1]:${port}/`)).toMatchObject({ status: 200, error: null });
  });
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

describe("many POSTs that are answered", () => {
  it("leave nothing in memory", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const { url } = await serve((_request, response) => response.end());
    const heapAfter = async (round: string): Promise<number> => {
      for (let count = 0; count < 100; count++)
        await post(url, { body: `${"x".repeat(100_000)}${round}${count}` });
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = await heapAfter("first");

    // Their bodies alone would take 10 MB.
    expect((await heapAfter("second")) - before).toBeLessThan(3_000_000);
  });
});

/** What a connection would be made to, without making one. */
function lookUp(name: string, destinations: Destinations = "all"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookupFor(destinations)(name, { all: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });
}

function post(url: string, members: Partial<WebhookRequest> = {}): Promise<PostOutcome> {
  return sender.post({ url, body: "{}", headers: {}, timeoutMs: PATIENCE_MS, ...members });
}

/** Timers go as the test moves them; sockets stay as they are. */
function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
}

interface Served {
  readonly url: string;
  readonly port: number;
  /** How many connections there were in all. */
  readonly connections: () => number;
}

async function serve(
  answer: (...parts: Parameters<http.RequestListener>) => unknown,
  host = "127.0.0.1",
): Promise<Served> {
  const server = http.createServer((request, response) => {
    void answer(request, response);
  });
  return listen(server, host);
}

/** Answers each request with whatever the test writes. */
async function serveRaw(answer: (socket: net.Socket) => unknown): Promise<Served> {
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

/**
 * Answers one request on each connection, and resets it at the next: as a merchant who closes an idle connection
 * just then. The first `together` requests are answered once all have come, on a connection each.
 */
async function serveOnceEach(together = 1): Promise<Served & { readonly requests: () => number }> {
  const answered = new Set<net.Socket>();
  const waiting: net.Socket[] = [];
  let requests = 0;
  const served = await serveRaw((socket) => {
    requests++;
    if (answered.has(socket)) {
      socket.resetAndDestroy();
      return;
    }
    answered.add(socket);
    waiting.push(socket);
    if (requests >= together) for (const one of waiting.splice(0)) one.write(ANSWER);
  });
  return { ...served, requests: () => requests };
}

/** Reads the requests of a connection when those before it have closed. */
async function serveOneAtATime(): Promise<Served> {
  const queue: net.Socket[] = [];
  const readFirst = (): unknown => queue[0]?.on("data", () => queue[0]?.write(ANSWER)).resume();
  const server = net.createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => undefined);
    socket.once("close", () => {
      const isFirst = queue[0] === socket;
      queue.splice(queue.indexOf(socket), 1);
      if (isFirst) readFirst();
    });
    if (queue.push(socket) === 1) readFirst();
  });
  closing.push(async () => {
    for (const socket of queue) socket.destroy();
  });
  return listen(server, "127.0.0.1");
}

async function listen(server: net.Server, host: string): Promise<Served> {
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

async function closeServer(server: net.Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  if (server instanceof http.Server) server.closeAllConnections();
  await closed;
}

/** Writes a byte every few milliseconds: never silent for long, never done. */
function drip(socket: net.Socket, start: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write("x"), 5);
  socket.once("close", () => clearInterval(timer));
}

import http from "node:http";
import { describe, expect, it, vi } from "vitest";
import { readRetryAfterMs } from "../../../src/delivery/sender.ts";
import { deferred } from "../../support/core.ts";
import { closeServer, closing, post, serve, serveRaw, useSender } from "./sender.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

vi.mock(import("node:dns"), async (load) => (await import("./fake-dns.ts")).fakeDns(await load()));

useSender();

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
    ["120", { retryAfterMs: 120_000 }],
    ["0", { retryAfterMs: 0 }],
    ["soon", {}],
  ])("tells how long it asks to wait: retry-after: %j", async (text, asked) => {
    const { url } = await serve((_request, response) =>
      response.writeHead(503, { "retry-after": text }).end(),
    );
    const { status, retryAfterMs } = await post(url);
    expect({ status, ...(retryAfterMs !== undefined && { retryAfterMs }) }).toEqual({
      status: 503,
      ...asked,
    });
  });

  it("reads an answer that comes before its body is taken", async () => {
    const { url } = await serve((_request, response) => response.writeHead(413).end("too much"));

    expect(await post(url, { body: "x".repeat(100_000) })).toMatchObject({
      status: 413,
      response: "too much",
    });
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

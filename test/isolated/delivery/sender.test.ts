import type http from "node:http";
import { describe, expect, it, vi } from "vitest";
import { readRetryAfterMs } from "../../../src/delivery/sender.ts";
import { deferred } from "../../support/core.ts";
import { post, serve, serveRaw, useSender } from "./sender.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

vi.mock(import("node:dns"), async (load) => (await import("./fake-dns.ts")).fakeDns(await load()));

useSender();

describe("a POST that is answered", () => {
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

  it("has a connection of its own, even if the server would keep the one before", async () => {
    const { url, connections } = await serve((_request, response) => response.end("ok"));
    for (let count = 0; count < 3; count++) expect(await post(url)).toMatchObject({ status: 200 });

    expect(connections()).toBe(3);
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
});

describe("a retry-after", () => {
  const NOW_MS = Date.parse("2026-11-21T12:00:00.000Z");

  it("is seconds, or a date", () => {
    const read = {
      "007": 7000,
      "999999999": 999_999_999_000,
      "Sun, 22 Nov 2026 12:00:00 GMT": 86_400_000,
      "Sat, 21 Nov 2026 11:59:59 GMT": 0,
    };
    for (const [text, ms] of Object.entries(read))
      expect([text, readRetryAfterMs(text, NOW_MS)]).toEqual([text, ms]);
  });

  it("asks nothing if it is anything else", () => {
    const numbers = ["", " ", "-1", "+1", "1.5", "1e3", "0x10", "1 s", "1, 2", "1234567890", "NaN"];
    const dates = ["soon", "2026-11-21T13:00:00Z", "Xyz, 99 Foo 2026 99:99:99 GMT", "Sat, "];
    for (const text of [undefined, ...numbers, ...dates])
      expect([text, readRetryAfterMs(text, NOW_MS)]).toEqual([text, undefined]);
  });
});

import type http from "node:http";
import net from "node:net";
import { describe, expect, it, vi } from "vitest";
import { deferred, turns, watch } from "../../support/core.ts";
import { closing, listen, post, serve, serveRaw, type Served, useSender } from "./sender.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

vi.mock(import("node:dns"), async (load) => (await import("./fake-dns.ts")).fakeDns(await load()));

useSender();

describe("a POST without a response", () => {
  it("names each address that refused it", async () => {
    expect((await post("http://both.test:1/")).error).toBe(
      "ECONNREFUSED 127.0.0.1:1, ECONNREFUSED [::1]:1",
    );
  });
});

describe("a POST whose time is over", () => {
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
    const ending = new AbortController();
    const outcome = post(url, { signal: ending.signal });
    await arrived.promise;
    ending.abort();

    expect(await outcome).toMatchObject({
      status: null,
      error: "it was given up",
      response: null,
    });
    await closed.promise;
  });

  it("ends before it has a connection, and leaves no timer behind", async () => {
    useFakeTimers();
    const { url } = await serve((_request, response) => response.end());
    const ending = new AbortController();
    const outcome = post(url, { signal: ending.signal });
    ending.abort();

    expect(await outcome).toMatchObject({ status: null, error: "it was given up" });
    await turns(20);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is not sent if it was canceled before", async () => {
    const { url, connections } = await serve((_request, response) => response.end());
    const signal = AbortSignal.abort();

    expect(await post(url, { signal })).toMatchObject({ status: null, error: "it was given up" });
    await turns(20);
    expect(connections()).toBe(0);
  });
});

describe("many POSTs without a response", () => {
  it("leave no connection behind", async () => {
    const url = "http://127.0.0.1:1/";
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

import type http from "node:http";
import net from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Destinations,
  lookupFor,
  type PostOutcome,
  Sender,
} from "../../../src/delivery/sender.ts";
import { deferred } from "../../support/core.ts";
import {
  ANSWER,
  closing,
  listen,
  post,
  replaceSender,
  sender,
  serve,
  serveRaw,
  type Served,
  useSender,
} from "./sender.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

vi.mock(import("node:dns"), async (load) => (await import("./fake-dns.ts")).fakeDns(await load()));

useSender();

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
  it.each([
    "link-local.test",
    "link-local-6.test",
    "mapped.test",
    "metadata.test",
    "host.docker.internal",
    "host.lima.internal",
  ])("that resolves to link-local and metadata addresses alone is not called: %s", async (name) => {
    await expect(lookUp(name)).rejects.toThrow(
      `not sent: ${name} is a link-local or metadata address, where no webhook may go`,
    );
  });

  it.each([
    ["host.containers.internal", "169.254.1.2"],
    ["gateway.docker.internal", "fe80::7"],
  ])("by which a container reaches its machine may be link-local: %s", async (name, address) => {
    expect(await lookUp(name)).toEqual([{ address, family: net.isIP(address) }]);
  });

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
      error: "not sent: port 0 cannot be called; use the receiver's port",
    });
    expect(connect).not.toHaveBeenCalled();
  });
});

describe("a sender that may reach only this machine", () => {
  beforeEach(() => {
    replaceSender(new Sender("loopback"));
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

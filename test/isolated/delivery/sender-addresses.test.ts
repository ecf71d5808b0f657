import net from "node:net";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Destinations, lookupFor } from "../../../src/delivery/destinations.ts";
import { Sender } from "../../../src/delivery/sender.ts";
import { post, replaceSender, serve, useSender } from "./sender.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

vi.mock(import("node:dns"), async (load) => (await import("./fake-dns.ts")).fakeDns(await load()));

useSender();

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

describe("a sender that may reach only this machine", () => {
  beforeEach(() => {
    replaceSender(new Sender({ destinations: "loopback" }));
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

/** What a connection would be made to, without making one. */
function lookUp(name: string, destinations: Destinations = "all"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookupFor(destinations)(name, { all: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });
}

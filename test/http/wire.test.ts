import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { type Answer, sendRaw } from "../support/gateway.ts";
import { BUYER } from "../support/calls.ts";

const NOWHERE = "http://127.0.0.1:9/hook";
const PAYIN = JSON.stringify({ ...BUYER, webhook_url: NOWHERE });

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ corsOrigins: ["https://shop.example"] });
});
afterAll(() => sandbox.close());

/** Sends the lines of a request's head, and a body, over a connection of their own. */
function send(head: readonly string[], body = ""): Promise<Answer> {
  return sendRaw(sandbox, `${[...head, "connection: close"].join("\r\n")}\r\n\r\n${body}`);
}

function get(target: string, ...headers: readonly string[]): Promise<Answer> {
  return send([`GET ${target} HTTP/1.1`, "host: localhost", ...headers]);
}

/** Creates a payin with headers that are given line by line. */
function create(...headers: readonly string[]): Promise<Answer> {
  const lines = [
    "host: localhost",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(PAYIN)}`,
  ];
  return send(["POST /v1/payins HTTP/1.1", ...lines, ...headers], PAYIN);
}

const IDENTIFICATION = {
  "x-api-token": "wire",
  "x-provider-id": "42",
  "x-provider": "Loja da Maria",
  "x-country-code": "BR",
  "x-idempotency-key": "k1",
};
const IDENTIFYING = Object.entries(IDENTIFICATION).map(([name, value]) => `${name}: ${value}`);

describe("a path", () => {
  it.each([
    "//_sandbox/health",
    "/_sandbox//health",
    "/_sandbox/health//",
    "/_sandbox/payins/../x",
    "/_sandbox/health%2",
    "//v1/payins",
    "/v1//payins",
  ])("with an empty or a wrong part reaches no route: %s", async (target) => {
    const { status, json } = await get(target);
    expect([400, 404]).toContain(status);
    expect(json).toMatchObject({ errors: [] });
  });

  it.each([
    ["/_sandbox/health", 200],
    ["/_sandbox/health?", 200],
    ["/_sandbox/payins?after=//..%2e%5f\\", 400],
    ["http://localhost/_sandbox/health", 200],
    ["HTTP://127.0.0.1:7490/_sandbox/health?x", 200],
    ["http://localhost?x", 302],
    ["/_sandbox/payins/a%2Fb%40c%3A", 404],
  ])("is read as it stands where it is: %s", async (target, status) => {
    expect(await get(target)).toMatchObject({ status });
  });

  it("that names an unknown record is refused, with advice about encoding", async () => {
    const { json } = await get("/_sandbox/payins/a%40b");
    expect(json).toMatchObject({ message: "There is no payin with the id a@b." });
  });
});

describe("a request of another site", () => {
  const reset = (...headers: readonly string[]) =>
    send(["POST /_sandbox/snapshots/x/restore HTTP/1.1", "host: localhost", ...headers]);

  it("is refused like one of another origin if it would change something", async () => {
    const foreign = await reset("sec-fetch-site: cross-site");
    expect(foreign).toMatchObject({ status: 403 });
    expect((await reset("origin: http://evil.test")).json).toEqual(foreign.json);
    expect(await create(...IDENTIFYING, "sec-fetch-site: cross-site")).toMatchObject({
      status: 403,
    });
  });

  it.each(["same-origin", "same-site", "none"])("is not foreign with %s", async (site) => {
    expect(await reset(`sec-fetch-site: ${site}`)).toMatchObject({ status: 404 });
  });

  it("may read, as it does by a link or an image", async () => {
    expect(await get("/_sandbox/health", "sec-fetch-site: cross-site")).toMatchObject({
      status: 200,
    });
  });

  it("may change things if its origin is one of --cors, and can read every header of the sandbox", async () => {
    const response = await sandbox.fetch("/_sandbox/snapshots/x/restore", {
      method: "POST",
      headers: { origin: "https://shop.example", "sec-fetch-site": "cross-site" },
    });
    expect(response.status).toBe(404);
    expect(response.headers.get("access-control-expose-headers")).toBe(
      "idempotent-replayed, retry-after, x-sandbox-assumption, x-sandbox-magic, x-total-count",
    );
  });
});

describe("an identification header", () => {
  it("may have a comma in its value", async () => {
    const others = IDENTIFYING.filter((line) => !line.startsWith("x-provider:"));
    expect(await create(...others, "x-provider: Loja, Cia, e Filhos")).toMatchObject({
      status: 200,
    });
  });
});

describe("a body", () => {
  it.each(["gzip, chunked", "deflate,chunked"])(
    "under another transfer coding is not read: %s",
    async (coding) => {
      const head = [
        "POST /v1/payins HTTP/1.1",
        "host: localhost",
        "content-type: application/json",
        `transfer-encoding: ${coding}`,
        ...IDENTIFYING,
      ];
      const { status, json } = await send(head, "2\r\n{}\r\n0\r\n\r\n");
      expect(status).toBe(501);
      expect(json).toMatchObject({ code: "VALIDATION_ERROR" });
    },
  );

  it.each(["chunked", "Chunked"])("may be sent in chunks: %s", async (coding) => {
    const head = [
      "POST /_sandbox/settle HTTP/1.1",
      "host: localhost",
      "content-type: application/json",
      `transfer-encoding: ${coding}`,
    ];
    expect(await send(head, "2\r\n{}\r\n0\r\n\r\n")).toMatchObject({ status: 200 });
  });

  it.each([
    ["by the length it is to have", "content-length: 10000000000", ""],
    ["by what has come of it", "transfer-encoding: chunked", "2540be400\r\n"],
  ])(
    "that is too large is answered, while its client goes on to send: %s",
    async (_how, line, start) => {
      const socket = connect({ port: sandbox.port, host: "127.0.0.1" });
      const head = [
        "POST /v1/payins HTTP/1.1",
        "host: localhost",
        "content-type: application/json",
        line,
      ];
      socket.write(`${head.join("\r\n")}\r\n\r\n${start}`);
      const flood = Buffer.alloc(65_536, "x");
      const go = (): void => {
        if (socket.destroyed) return;
        if (socket.write(flood)) setImmediate(go);
        else socket.once("drain", go);
      };
      go();
      const [response] = (await once(socket, "data")) as [Buffer];
      socket.destroy();
      expect(String(response)).toMatch(/^HTTP\/1\.1 413 .*The body is larger than 1 MiB/s);
    },
  );
});

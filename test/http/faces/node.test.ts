import { once } from "node:events";
import http from "node:http";
import { connect, type Socket } from "node:net";
import v8 from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, it, vi } from "vitest";
import { RequestLog } from "../../../src/http/context/request-log.ts";
import { startSandbox } from "../../../src/server/start.ts";
import { BUYER } from "../../support/calls.ts";
import { control } from "../../support/gateway.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

const sandbox = await startSandbox({ seed: "node" });
afterAll(() => sandbox.close());

const BODY = JSON.stringify({ ...BUYER, webhook_url: "http://127.0.0.1:9/hook" });

/** The bytes of a call up to its body. */
function head(key: string, more: readonly string[], token = "shop"): string {
  const { "x-idempotency-key": _drawn, ...headers } = sandbox.headers(token);
  const lines = [
    "POST /v1/payins HTTP/1.1",
    "host: localhost",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `x-idempotency-key: ${key}`,
    ...more,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}
const LENGTH = `content-length: ${BODY.length}`;

/** In bytes, without what can be collected. */
function memoryInUse(): number {
  v8.setFlagsFromString("--expose-gc");
  for (let i = 0; i < 3; i++) (runInNewContext("gc") as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A connection, and the responses that have arrived on it. */
async function open() {
  const socket: Socket = connect(sandbox.port, "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return {
    socket,
    responses: async (count: number): Promise<readonly string[]> => {
      const split = (): string[] => text.split(/(?=HTTP\/1\.1 )/);
      const whole = () => split().filter((response) => /\r\n\r\n\{.*\}$/s.test(response)).length;
      await expect.poll(whole, { timeout: PATIENCE_MS }).toBe(count);
      return split();
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}

it("an unexpected error is reported and answered with 500, in each way of calling", async () => {
  const report = vi.fn<(line: string) => void>();
  await using broken = await startSandbox({ report });
  using log = vi.spyOn(RequestLog.prototype, "log");
  log.mockImplementation(() => {
    throw new Error("a listener failed");
  });
  const answers = [
    fetch(`${broken.url}/v1/payins`),
    // h3 answers it.
    fetch(`${broken.url}/v1/payins?x=1`),
    broken.fetch("/v1/payins"),
  ];
  for (const answer of await Promise.all(answers)) {
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ code: "EXTERNAL_ERROR" });
  }
  expect(report).toHaveBeenCalledTimes(3);
  expect(report).toHaveBeenCalledWith(expect.stringContaining("a listener failed"));
});

describe("a gateway call over a connection", () => {
  it("may arrive in pieces", async () => {
    using connection = await open();
    const bytes = head("pieces", [LENGTH]) + BODY;
    for (const piece of [bytes.slice(0, 40), bytes.slice(40, -30), bytes.slice(-30, -1)]) {
      connection.socket.write(piece);
      // Answered on another connection: the sandbox has read the piece too.
      await fetch(`${sandbox.url}/_sandbox/health`);
    }
    expect(await connection.responses(0)).toEqual([""]);
    connection.socket.write(bytes.slice(-1));
    expect((await connection.responses(1))[0]).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("may be followed by others before its response, which come in order", async () => {
    using connection = await open();
    const calls = ["first", "second", "first"].map((key) => head(key, [LENGTH]) + BODY);
    connection.socket.write(calls.join(""));
    const [first = "", second = "", third = ""] = await connection.responses(3);
    const idOf = (response: string): string | undefined => /"id":"(.*?)"/.exec(response)?.[1];
    expect(third).toMatch(/^idempotent-replayed: true\r$/m);
    expect(idOf(third)).toBe(idOf(first));
    expect(idOf(second)).not.toBe(idOf(first));
  });

  it("may come in chunks, or after one that was refused", async () => {
    using connection = await open();
    connection.socket.write(head("refused", [LENGTH, "content-encoding: gzip"]) + BODY);
    const chunked = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
    connection.socket.write(head("chunked", ["transfer-encoding: chunked"]) + chunked);
    connection.socket.write(head("empty", ["content-length: 0"]));
    const statuses = (await connection.responses(3)).map((response) => response.slice(9, 12));
    expect(statuses).toEqual(["415", "200", "400"]);
  });

  it.each(["/v1/payins", "/v1/payins?x=1"])(
    "needs no header host in HTTP/1.0: POST %s",
    async (target) => {
      using connection = await open();
      const text = head("old", [LENGTH])
        .replace("/v1/payins HTTP/1.1", `${target} HTTP/1.0`)
        .replace("host: localhost\r\n", "");
      connection.socket.write(text + BODY);
      expect((await connection.responses(1))[0]).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it("is refused before its body has arrived, if its headers are wrong", async () => {
    for (const wrong of ["content-encoding: gzip", "origin: http://evil.test"]) {
      using connection = await open();
      connection.socket.write(head("early", [LENGTH, wrong]));
      expect((await connection.responses(1))[0]).toMatch(/^HTTP\/1\.1 4(03|15) /);
    }
  });

  it("leaves no body in memory while its connection is idle", { timeout: 60_000 }, async () => {
    await using small = await startSandbox({ keepRequests: 0 });
    const body = JSON.stringify({ value: "x".repeat(900_000) });
    const agent = new http.Agent({ keepAlive: true });
    const headers = { ...small.headers("shop"), "content-length": body.length };
    const send = async (): Promise<void> => {
      const options = { port: small.port, method: "POST", path: "/v1/payins", agent, headers };
      const [response] = (await once(http.request(options).end(body), "response")) as [
        http.IncomingMessage,
      ];
      await once(response.resume(), "end");
    };
    await send();
    const before = memoryInUse();
    await Promise.all(Array.from({ length: 80 }, send));
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(80);
    expect(memoryInUse() - before).toBeLessThan(50e6);
    agent.destroy();
  });

  it("is refused, and stored as lost, if its client disconnects within its body", async () => {
    {
      using connection = await open();
      connection.socket.write(head("lost", [LENGTH], "leaver") + BODY.slice(0, 20));
      await fetch(`${sandbox.url}/_sandbox/health`);
    }
    const logged = async () => (await control(sandbox, "leaver", "GET /requests"))["data"];
    await expect.poll(logged, { timeout: PATIENCE_MS }).toEqual([
      expect.objectContaining({
        status: 400,
        lost: true,
        body: null,
        response: expect.stringContaining("The body was cut short."),
      }),
    ]);
  });
});

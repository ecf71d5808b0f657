import { H3 } from "h3";
import { afterAll, expect, it, vi } from "vitest";
import { startSandbox } from "../../../src/server/start.ts";
import { BUYER, RECEIVER } from "../../support/calls.ts";
import { type Answer, type Call, send } from "../../support/gateway.ts";

/** Called for each request that h3 answers. */
const throughH3 = vi.spyOn(H3.prototype, "fetch");

/** Equal sandboxes, one for each way of calling. */
const start = () =>
  startSandbox({ seed: "equal", clock: "frozen", corsOrigins: ["http://shop.test"] });
const [direct, h3, inProcess] = await Promise.all([start(), start(), start()]);
afterAll(() => Promise.all([direct, h3, inProcess].map((sandbox) => sandbox.close())));

const webhook_url = "http://127.0.0.1:9/hook";
const payin = { ...BUYER, webhook_url };
const create = { path: "/v1/payins", body: payin };
const fromPage = { origin: "http://shop.test" };

const CALLS: readonly Call[] = [
  create,
  create, // its repeat
  { ...create, body: { ...payin, value: 99 } },
  { ...create, path: "/v2/payins", headers: { "x-idempotency-key": "two" }, body: {} },
  {
    path: "/v1/payouts",
    headers: { "x-idempotency-key": "é" },
    body: { ...RECEIVER, webhook_url },
  },
  { ...create, headers: { "x-country-code": undefined, "x-sandbox-fault": "teapot" } },
  { ...create, headers: fromPage },
  { ...create, headers: { origin: "http://evil.test" } },
  { ...create, headers: { "content-type": "text/plain" } },
  { ...create, headers: { "content-encoding": "gzip" } },
  { ...create, body: "{" },
  { ...create, body: Buffer.from([0x22, 0xff, 0x22]) },
  { ...create, body: "x".repeat(1_048_577) },
  { ...create, isChunked: true },
  { path: "/v1/payins" },
  { method: "DELETE", path: "/v1/payins" },
  { method: "GET", path: "/v1/payins", headers: fromPage },
  { method: "HEAD", path: "/v1/payins" },
  { method: "OPTIONS", path: "/v1/payins" },
  { method: "OPTIONS", path: "/v1/payins", headers: fromPage },
  { method: "GET", path: "/v1/webhooks" },
  { method: "GET", path: "/v1/nothing" },
  { method: "GET", path: "/_sandbox/health" },
  { method: "HEAD", path: "/_sandbox/health" },
];
const DIRECT = new Set([
  "/v1/payins",
  "/v2/payins",
  "/v1/payouts",
  "/v1/webhooks",
  "/_sandbox/health",
]);

it.each(CALLS.map((call) => [JSON.stringify(call).slice(0, 120), call] as const))(
  "Node, h3 and a call in process give one response: %s",
  async (_name, { headers: own, ...call }) => {
    const { method = "POST", path, body } = call;
    const sent = { ...direct.headers("shop"), "x-idempotency-key": "one", ...own };
    const request = { ...call, headers: { ...sent, host: "localhost" } };
    throughH3.mockClear();
    const fromNode = withoutConnection(await send(direct, request));
    expect(throughH3).toHaveBeenCalledTimes(DIRECT.has(path) && method !== "HEAD" ? 0 : 1);
    // A proxy sends the whole address. Only h3 takes it.
    const whole = { ...request, path: `http://localhost${path}` };
    expect(withoutConnection(await send(h3, whole))).toEqual(fromNode);

    const bytes = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const { headers: all } = request;
    const defined = Object.entries(all).filter(
      (one): one is [string, string] => one[1] !== undefined,
    );
    const answer = await inProcess.fetch(path, {
      method,
      headers: Object.fromEntries(defined),
      ...(bytes !== undefined && { body: bytes }),
    });
    const { "content-length": _, ...expected } = fromNode.headers;
    expect(Object.fromEntries(answer.headers)).toEqual(expected);
    expect([answer.status, await answer.text()]).toEqual([fromNode.status, fromNode.text]);
  },
);

const OF_CONNECTION = new Set(["date", "connection", "keep-alive"]);

function withoutConnection({ status, headers, text }: Answer) {
  const own = Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name));
  return { status, headers: Object.fromEntries(own), text };
}

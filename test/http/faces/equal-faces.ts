import http from "node:http";
import { H3 } from "h3";
import { afterAll, describe, expect, it, vi } from "vitest";
import { gatewayRoutes } from "../../../src/http/routes/gateway.ts";
import { startSandbox } from "../../../src/server/start.ts";
import {
  type Acceptance,
  arrange,
  type Case,
  fill,
  readFolder,
  type Refusal,
  requests,
  toCall,
  tokensOf,
} from "../../support/fixtures.ts";
import type { Call } from "../../support/gateway.ts";

/** Called for each request that h3 answers. */
const throughH3 = vi.spyOn(H3.prototype, "fetch");

/** Equal sandboxes, one for each way of calling. */
const start = () =>
  startSandbox({ seed: "equal", clock: "frozen", corsOrigins: ["http://shop.test"] });
const [direct, h3, inProcess] = await Promise.all([start(), start(), start()]);
afterAll(() => Promise.all([direct, h3, inProcess].map((sandbox) => sandbox.close())));

/** A response without what belongs to the connection. */
interface Received {
  readonly status: string;
  /** Names and values, in the order in which they were sent. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}
const OF_CONNECTION = new Set(["date", "connection", "keep-alive"]);

const folders = [readFolder<Refusal[]>("refusals"), readFolder<Acceptance[]>("acceptances")];
const cases: (readonly [string, Case])[] = folders
  .flatMap((folder) => [...folder])
  .flatMap(([file, all]) => all.map((one) => [`${file}: ${one.name}`, one] as const))
  .filter(([, { request }]) => /^\/v[12]\//.test(request.path ?? ""));
for (const [name, body] of requests) {
  if (name.endsWith("-simulation") || name.startsWith("webhook")) continue;
  const path = `/v1/${name.startsWith("payin") ? "payins" : "payouts"}`;
  cases.push([`requests: ${name}`, { name, request: { method: "POST", path, body } }]);
}

const FROM_A_PAGE = { origin: "http://shop.test" };
const OTHERS: readonly Case["request"][] = [
  { method: "HEAD", path: "/v1/payins" },
  { method: "HEAD", path: "/_sandbox/health" },
  { method: "GET", path: "/_sandbox/health" },
  { method: "OPTIONS", path: "/v1/payins" },
  { method: "OPTIONS", path: "/v1/payins", headers: FROM_A_PAGE },
  { method: "GET", path: "/v1/payins", headers: FROM_A_PAGE },
  { method: "POST", path: "/v1/payins", base: "payin", headers: FROM_A_PAGE },
];
const others = OTHERS.map((request): readonly [string, Case] => {
  const name = `${request.method} ${request.path} ${JSON.stringify(request.headers ?? {})}`;
  return [name, { name, request }];
});

const directPaths: ReadonlySet<string> = new Set([
  "/_sandbox/health",
  ...Object.keys(gatewayRoutes).map((key) => key.split(" ")[1] ?? ""),
]);

/** @param every 1 takes all fixtures, 5 each fifth */
export function describeFaces(every: number): void {
  const taken = [...cases.filter((_, index) => index % every === 0), ...others];
  describe("each fixture", { timeout: 60_000 }, () => {
    it.each(taken)("gets one response from Node, h3 and in process: %s", async (name, one) => {
      const tokens = tokensOf(name);
      const callTo = async (sandbox: typeof direct): Promise<Call> => {
        const id = await arrange(sandbox, one, tokens);
        const asked = toCall(fill(one.request, id), tokens.own);
        return { ...asked, headers: { ...sandbox.headers(tokens.own), ...asked.headers } };
      };

      const [directCall, h3Call, ownCall] = [
        await callTo(direct),
        await callTo(h3),
        await callTo(inProcess),
      ];
      const isDirect = directCall.method !== "HEAD" && directPaths.has(directCall.path);
      throughH3.mockClear();
      const fromNode = await send(direct.port, directCall, directCall.path);
      expect(throughH3).toHaveBeenCalledTimes(isDirect ? 0 : 1);
      throughH3.mockClear();
      // A proxy sends the whole address. Only h3 takes it.
      const fromH3 = await send(h3.port, h3Call, `http://127.0.0.1:${h3.port}${h3Call.path}`);
      expect(throughH3).toHaveBeenCalledTimes(1);
      expect(fromNode).toEqual(fromH3);

      const request = toRequest(inProcess.url, ownCall);
      if (request === undefined) return;
      const own = await inProcess.fetch(request);
      expect({ status: `${own.status} ${own.statusText}`, body: await own.text() }).toEqual({
        status: fromNode.status,
        body: fromNode.body,
      });
      const sent = fromNode.headers.filter(([header]) => header !== "content-length");
      expect(Object.fromEntries(own.headers)).toEqual(Object.fromEntries(sent));
    });
  });
}

function send(port: number, { method, headers, body, isChunked }: Call, path: string) {
  return new Promise<Received>((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(body as string);
    const length =
      bytes && !isChunked && !headers?.["content-length"]
        ? { "content-length": bytes.length }
        : isChunked && { "transfer-encoding": "chunked" };
    const outgoing = http.request(
      { port, method, path, agent: false, headers: { ...length, ...defined(headers) } },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.once("error", reject);
        incoming.once("end", () => {
          const { rawHeaders } = incoming;
          const pairs = rawHeaders.flatMap((name, index) =>
            index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
          );
          resolve({
            status: `${incoming.statusCode} ${incoming.statusMessage}`,
            headers: pairs.filter(([header]) => !OF_CONNECTION.has(header.toLowerCase())),
            body: Buffer.concat(chunks).toString(),
          });
        });
      },
    );
    outgoing.once("error", reject);
    outgoing.end(bytes);
  });
}

function defined(headers: Call["headers"] = {}): Record<string, string> {
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent) as Record<string, string>;
}

/** Undefined if `Request` does not allow such a call: it has no other transfer codings, for example. */
function toRequest(url: string, { method = "", path, headers, body }: Call): Request | undefined {
  if (FORBIDDEN.some((name) => headers?.[name] !== undefined)) return undefined;
  // Bytes: a text would get a content type of its own.
  const bytes = body === undefined ? {} : { body: Buffer.from(body as string) };
  try {
    return new Request(`${url}${path}`, { method, headers: defined(headers), ...bytes });
  } catch {
    return undefined;
  }
}
const FORBIDDEN = ["transfer-encoding", "content-length", "expect"];

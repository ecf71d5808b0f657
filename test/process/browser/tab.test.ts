import http from "node:http";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { PNG } from "pngjs";
import { build } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TabWebhook } from "../../../src/wire/tab-messages.ts";
import type { TabSandbox, WorkerPort } from "../../../src/inspector/trace/tab-sandbox.ts";
import { sign } from "../../../src/webhook-diagnosis/signature.ts";
import { startSandbox } from "../../../src/server/start.ts";
import { startBrowser, type TestBrowser, type TestPage } from "../../support/browser.ts";
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
import { type Answer, call, control, type Json } from "../../support/gateway.ts";
import { startMerchant } from "../../support/merchant.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SAME = { seed: "tab", clock: "frozen", now: "2026-11-21T12:00:00.000Z" } as const;
const PAGE = readFileSync(`${ROOT}dist/inspector/trace.html`, "utf8");
const [, PACKED = ""] = /id="worker">([^<]*)</.exec(PAGE) ?? [];
const WORKER = gunzipSync(Buffer.from(PACKED, "base64")).toString();

/** Headers that a page may not send. */
const NOT_OF_PAGES = new Set([
  "transfer-encoding",
  "content-length",
  "expect",
  "host",
  "origin",
  "cookie",
]);

/** A server, and the same sandbox in a worker of a tab, which a server of the test passes its calls to. */
const [server, drawer] = await Promise.all([startSandbox(SAME), startSandbox(SAME)]);
let browser: TestBrowser;
let tab: TestPage;
let bridge: http.Server;

beforeAll(async () => {
  browser = await startBrowser();
  tab = await browser.open(server.url);
  await tab.page.goto("about:blank");
  await tab.page.evaluate(await clientSource());
  await tab.page.evaluate(START, [WORKER, SAME] as const);
  bridge = http.createServer((request, response) => {
    pass(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => bridge.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  bridge.close();
  await browser[Symbol.asyncDispose]();
  await Promise.all([server.close(), drawer.close()]);
});

const cases = [readFolder<Refusal[]>("refusals"), readFolder<Acceptance[]>("acceptances")]
  .flatMap((folder) => [...folder])
  .flatMap(([file, all]) => all.map((one) => [`${file}: ${one.name}`, one] as const))
  .filter(([, { request }]) => isOfPages(request));
const valid = [...requests]
  .filter(([name]) => !name.endsWith("-simulation") && !name.startsWith("webhook"))
  .map(([name, body]): [string, Case] => {
    const path = `/v1/${name.startsWith("payin") ? "payins" : "payouts"}`;
    return [`requests: ${name}`, { name, request: { method: "POST", path, body } }];
  });

describe("the sandbox in a tab", () => {
  it("responds to each fixture as the server does", { timeout: 300_000 }, async () => {
    const inTab = { ...drawer, port: (bridge.address() as AddressInfo).port };
    for (const [name, one] of [...cases, ...valid]) {
      const tokens = tokensOf(name);
      const [onServer, answer] = await Promise.all(
        [server, inTab].map(async (sandbox) => {
          const id = await arrange(sandbox, one, tokens);
          return comparable(await call(sandbox, toCall(fill(one.request, id), tokens.own)));
        }),
      );
      expect({ name, answer }).toEqual({ name, answer: onServer });
    }
  });

  it("signs the same webhooks", async () => {
    await using merchant = await startMerchant();
    const body = { ...requests.get("payin"), webhook_url: merchant.url };
    const inTab = { ...drawer, port: (bridge.address() as AddressInfo).port };
    const ids: unknown[] = [];
    for (const sandbox of [server, inTab]) {
      const { json } = await call(sandbox, { path: "/v1/payins", token: "webhooks", body });
      const { id } = json as Json;
      ids.push(id);
      await control(sandbox, "webhooks", `POST /payins/${String(id)}/pay`);
      await control(sandbox, "webhooks", "POST /settle");
    }
    expect(ids[1]).toBe(ids[0]);
    const received = await tab.page.evaluate(
      (transaction) => window.received.find((one) => one.body.includes(transaction)),
      String(ids[0]),
    );
    expect(merchant.received.map((sent) => sent.body)).toEqual([received?.body]);
    const { "webhook-id": id = "", "webhook-timestamp": at } = received?.headers ?? {};
    expect(received?.headers["webhook-signature"]).toBe(
      sign(server.secret, id, Number(at), received?.body ?? ""),
    );
  });

  it("makes a QR code of the same pixels", async () => {
    const body = { ...requests.get("payin"), generate_qrcode: true };
    const inTab = { ...drawer, port: (bridge.address() as AddressInfo).port };
    const images: unknown[] = [];
    for (const sandbox of [server, inTab]) {
      const { json } = await call(sandbox, { path: "/v1/payins", token: "images", body });
      const { width, data } = PNG.sync.read(
        Buffer.from(String((json as Json)["qr_code_base64"]), "base64"),
      );
      images.push({ width, pixels: data.toString("hex") });
    }
    expect(images[1]).toEqual(images[0]);
  });
});

/** What both must answer alike; the picture's compression may differ. */
function comparable({ status, headers, text }: Answer): unknown {
  const others = Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name));
  return {
    status,
    headers: Object.fromEntries(others),
    text: text.replace(/"qr_code_base64":"[^"]+"/, ""),
  };
}
const OF_CONNECTION = new Set([
  "date",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
]);

/** Whether a page can send it: `fetch` has no TRACE, no body of a GET, and no text for a socket. */
function isOfPages({ method, base, headers = {}, ...request }: Case["request"]): boolean {
  if (method === "TRACE" || request.is_chunked || (request.path ?? "") === "") return false;
  if (method === "GET" && base !== undefined) return false;
  return !Object.keys(headers).some((name) => NOT_OF_PAGES.has(name.toLowerCase()));
}

async function clientSource(): Promise<string> {
  const { output } = await build({
    input: { client: `${ROOT}src/inspector/trace/tab-sandbox.ts` },
    write: false,
    platform: "browser",
    output: { format: "iife", name: "tabClient" },
  });
  return `${output[0].code}; window.tabClient = tabClient;`;
}

declare global {
  interface Window {
    Worker: new (url: string) => WorkerPort;
    tabClient: { readonly TabSandbox: typeof TabSandbox };
    sandbox: TabSandbox;
    received: TabWebhook[];
  }
  var window: Window;
}

const START = async ([worker, options]: readonly [string, typeof SAME]): Promise<void> => {
  window.received = [];
  const port = new window.Worker(URL.createObjectURL(new Blob([worker])));
  window.sandbox = new window.tabClient.TabSandbox(port, async (webhook) => {
    window.received.push(webhook);
    return { status: 200 };
  });
  await window.sandbox.start({ options });
};

/** Passes a call of the test to the page, and its response back. */
async function pass(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const ofConnection = new Set(["host", "connection", "content-length"]);
  const { rawHeaders } = request;
  const sent = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !ofConnection.has(name.toLowerCase())
      ? [[name, rawHeaders[index + 1] ?? ""] as [string, string]]
      : [],
  );
  const { status, headers, body } = await tab.page.evaluate(
    async ({ path, method, given, bytes }) => {
      const answer = await window.sandbox.fetch(path, {
        method,
        headers: given,
        ...(bytes !== "" && { body: Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0)) }),
      });
      return { status: answer.status, headers: [...answer.headers], body: await answer.text() };
    },
    {
      path: request.url ?? "",
      method: request.method ?? "",
      given: sent,
      bytes: Buffer.concat(chunks).toString("base64"),
    },
  );
  response.writeHead(status, headers.flat());
  response.end(body);
}

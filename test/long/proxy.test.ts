import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { MAGIC } from "../../src/core/faults/magic-values.ts";
import { type Serving, startServe } from "../support/cli.ts";
import { createFolder } from "../support/folder.ts";
import { type Acceptance, type Case, readFolder, type Refusal } from "../support/fixtures.ts";
import { type Merchant, startMerchant } from "../support/merchant.ts";
import {
  type Exchange,
  send,
  type Sent,
  startValidatingProxy,
  type ValidatingProxy,
} from "./validating-proxy.ts";
import {
  operationAt,
  operationsOf,
  requestOf,
  requests,
  type Document,
  type Json,
  type Request,
  wrongWith,
} from "./exchanges.ts";

const MIB = 1024 * 1024;
const ERROR_CODES = {
  VALIDATION_ERROR: 400,
  NO_ACTIVE_CREDENTIAL: 401,
  DUPLICATED_VALUE: 409,
  NOT_PROCESSABLE: 422,
  EXTERNAL_ERROR: 502,
};

const cases = [
  ...readFolder<Refusal[]>("refusals").values(),
  ...readFolder<Acceptance[]>("acceptances").values(),
].flat();

describe("a validating proxy between clients and a sandbox", { timeout: 120_000 }, () => {
  let folder: Awaited<ReturnType<typeof createFolder>>;
  let merchant: Merchant;
  let sandbox: Serving;
  let document: Document;
  let proxy: ValidatingProxy;
  let ask: Ask;
  let tell: Tell;
  let seen = 0;

  beforeAll(async () => {
    folder = await createFolder();
    merchant = await startMerchant();
    sandbox = await startServe([
      "--state",
      folder.at("state.json"),
      "--magic",
      "--clock",
      "frozen",
    ]);
    document = await documentOf(sandbox);
    proxy = await startValidatingProxy(document, sandbox.url);
    tell = telling(proxy, merchant);
    ask = asking(tell);
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await sandbox[Symbol.asyncDispose]();
    await merchant.close();
    await folder[Symbol.asyncDispose]();
  });
  afterEach(() => {
    const passed = proxy.exchanges.slice(seen);
    seen = proxy.exchanges.length;
    const wrong = passed.flatMap((exchange) => wrongWith(exchange, document));
    if (wrong.length > 0) throw new Error(JSON.stringify(wrong, null, 2));
  });

  it("finds nothing wrong with a merchant's program, nor with what it is refused", async () => {
    for (const [path, base] of [
      ["/v1/payins", "payin"],
      ["/v2/payins", "payin-full"],
      ["/v1/payouts", "payout-cpf"],
    ] as const) {
      const headers = { "x-idempotency-key": path };
      const members = { receiver_cpf: "52998224725" };
      await ask(200, "POST", path, { base, members, headers });
      const { headers: again } = await ask(200, "POST", path, { base, members, headers });
      expect(again["idempotent-replayed"]).toBe("true");
      await ask(409, "POST", path, { base, members: { value: 1 }, headers });
      await ask(400, "POST", path, { base, members: { value: "1" } });
      for (const [cpf, status] of MAGIC_CPFS) {
        const meant = { [base.startsWith("payin") ? "buyer_cpf" : "receiver_cpf"]: cpf };
        const { headers: shaped } = await ask(status, "POST", path, { base, members: meant });
        expect(shaped).toHaveProperty("x-sandbox-magic");
      }
    }
    await ask(404, "GET", "/v1/webhooks");
    await ask(200, "PUT", "/v1/webhooks", { base: "webhook-configuration" });
    await ask(200, "GET", "/v1/webhooks");
    for (const [noun, base] of [
      ["payin", "payin"],
      ["payout", "payout-evp"],
    ] as const) {
      const { json } = await ask(200, "POST", `/v1/${noun}s`, { base });
      const body = { transaction_id: json["id"], status: "completed" };
      await ask(200, "POST", `/v1/${noun}s/simulations`, { body });
      await ask(422, "POST", `/v1/${noun}s/simulations`, { body });
    }
  });

  it("finds nothing wrong with a failure that a call requests", async () => {
    for (const [path, base] of Object.entries(FAULTY)) {
      for (const [code, status] of Object.entries(ERROR_CODES)) {
        const headers = { "x-sandbox-fault": `error=${code}` };
        await ask(status, "POST", path, { base, headers });
      }
    }
  });

  it("finds fault with the fixtures that are refused for their form, and with no other", async () => {
    let count = 0;
    for (const { name, given, request, ...refusal } of cases) {
      const body = bodyOf(request);
      const { method, path, headers: own = {}, omit_headers: omitted = [] } = request;
      // What begins with a record is in the other tests.
      if (given !== undefined || body === undefined || !canPass(method, own)) continue;
      const token = `case ${++count}`;
      const sent = requestOf(merchant, { body, headers: { "x-api-token": token, ...own } }, path);
      for (const header of omitted) delete sent.headers[header];
      const { status, violations } = await send(proxy.url, method, path, sent);
      const { errors } = "answer" in refusal ? refusal.answer : { errors: [] };
      const fields = errors.map(({ field }) => field).join();
      if (status !== 400 || fields === "" || violations.length > 0) continue;
      const isBeyondKeywords =
        fields === "webhook_url" ||
        (fields === "value" && /\.\d{3,}$/.test(String((body as Json)["value"]))) ||
        // Blanks of UTF-8, of which a header shows the bytes.
        (fields === "x-provider" && /[\u0080-\u00ff]/.test(own["x-provider"] ?? ""));
      expect([name, fields, isBeyondKeywords]).toEqual([name, fields, true]);
    }
    expect(count).toBeGreaterThan(500);
  });

  it("finds nothing wrong with what every route refuses", async () => {
    for (const { method, path: template, operation } of operationsOf(document)) {
      const path = template.replace(/{\w+}/, "unknown");
      await ask(400, method, path, { headers: { host: "%" } });
      await ask(403, method, path, { headers: { host: "merchant.example" } });
      const { responses } = operation;
      if (responses["404"] && template !== path) await ask(404, method, path);
      if (responses["413"]) await ask(413, method, path, { body: { text: "a".repeat(MIB) } });
      if (responses["415"])
        await ask(415, method, path, { body: "{}", headers: { "content-type": "text/plain" } });
    }
    await ask(404, "GET", "/_sandbox/events?since=evt_unknown");
    await ask(404, "GET", "/v1/nothing");
    await ask(405, "DELETE", "/v1/payins");
  });

  it("finds what is wrong in an answer, whichever operation and status it is of", async () => {
    const passed = new Map(
      proxy.exchanges.map((exchange) => {
        const { method, path, status } = exchange;
        return [`${operationAt(document, method, path)?.operationId} ${status}`, exchange];
      }),
    );
    expect(passed.size).toBeGreaterThan(150);
    for (const [name, { method, path, status, headers, body }] of passed) {
      if (name.startsWith("undefined")) continue;
      const type = String(headers["content-type"]);
      const right = { status, headers: { "content-type": type }, body };
      const isJson = type.includes("json");
      const isOpen = name === "describeApi 200"; // It lets in what OpenAPI may yet bring.
      const wrong: Readonly<Record<string, Sent>> = {
        type: { ...right, headers: { "content-type": "text/html" } },
        ...(isJson &&
          body !== "{}" && { missing: { ...right, body: tampered(body, () => undefined) } }),
        ...(status === 200 && {
          status: { ...right, status: 418 },
          header: { ...right, headers: { ...right.headers, "x-sandbox-mood": "good" } },
        }),
        ...(status === 200 &&
          isJson &&
          body !== "{}" && {
            mistyped: { ...right, body: tampered(body, (value) => [[value]]) },
          }),
        ...(status === 200 &&
          isJson &&
          !isOpen && {
            more: { ...right, body: JSON.stringify({ ...(JSON.parse(body) as Json), mood: 1 }) },
          }),
      };
      const found: string[] = [];
      for (const [kind, answer] of Object.entries({ right, ...wrong })) {
        proxy.answerWith(answer);
        const empty = { headers: {}, body: Buffer.alloc(0) };
        const exchange = await send(proxy.url, method, path, empty);
        if (wrongWith(exchange, document).some((one) => one.side === "response")) found.push(kind);
      }
      expect([name, ...found]).toEqual([name, ...Object.keys(wrong)]);
    }
    seen = proxy.exchanges.length;
  });
});

/** Prism passes on no GET with a body, and no content type that it cannot read. */
function canPass(method: string, headers: Readonly<Record<string, string>>): boolean {
  const type = headers["content-type"] ?? "application/json";
  return method !== "GET" && /^[a-z+/-]+\/[^,]+$/.test(type) && !type.includes("utf-16");
}

/** The JSON that a fixture sends; undefined where it sends something else. */
function bodyOf({ base, members, texts = {}, without = [], body }: Case["request"]): unknown {
  if (base === undefined) return body;
  const read = Object.entries(texts).map(([name, text]) => [name, JSON.parse(text) as unknown]);
  const all = { ...requests.get(base), ...members, ...Object.fromEntries(read) } as Json;
  return Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)));
}

/** The same JSON object, its first member as `change` makes it; without it, where that is undefined. */
function tampered(body: string, change: (value: unknown) => unknown): string {
  const members = JSON.parse(body) as Json;
  const [name = ""] = Object.keys(members);
  return JSON.stringify({ ...members, [name]: change(members[name]) });
}

/** Asks for something and expects the status. */
type Ask = (
  status: number,
  method: string,
  path: string,
  request?: Request,
) => Promise<Exchange & { readonly json: Json }>;

type Tell = (method: string, path: string, request?: Request) => Promise<Exchange>;

function telling(proxy: ValidatingProxy, merchant: Merchant): Tell {
  return (method, path, request = {}) =>
    send(proxy.url, method, path, requestOf(merchant, request, path));
}

function asking(tell: Tell): Ask {
  return async (status, method, path, request) => {
    const exchange = await tell(method, path, request);
    const { body } = exchange;
    const asked = { method, path, request, body };
    expect({ ...asked, status: exchange.status }).toEqual({ ...asked, status });
    const isJson = String(exchange.headers["content-type"]).includes("json");
    return { ...exchange, json: isJson ? (JSON.parse(exchange.body) as Json) : {} };
  };
}

async function documentOf({ url }: Serving): Promise<Document> {
  return (await (await fetch(`${url}/_sandbox/openapi.json`)).json()) as Document;
}

const FAULTY: Readonly<Record<string, string>> = {
  "/v1/payins": "payin",
  "/v2/payins": "payin",
  "/v1/payouts": "payout-cpf",
  "/v1/payins/simulations": "payin-simulation",
  "/v1/payouts/simulations": "payout-simulation",
};

const MAGIC_CPFS = [
  [MAGIC.rejected.cpf, 422],
  [MAGIC.provider_down.cpf, 502],
  [MAGIC.canceled_later.cpf, 200],
] as const;

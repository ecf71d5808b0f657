import { mkdir, writeFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { MAGIC } from "../../src/core/faults/magic-values.ts";
import { runCli, type Serving, startServe } from "../support/cli.ts";
import { createFolder } from "../support/folder.ts";
import { type Acceptance, type Case, readFolder, type Refusal } from "../support/fixtures.ts";
import { type Merchant, startMerchant } from "../support/merchant.ts";
import { serveUnder } from "../support/traced.ts";
import {
  type Exchange,
  send,
  type Sent,
  startValidatingProxy,
  type ValidatingProxy,
} from "./validating-proxy.ts";
import {
  UNMET,
  operationAt,
  operationsOf,
  requestOf,
  requests,
  type Document,
  type Json,
  type Operation,
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

const STORIES = [...readFolder("scenarios").keys()];

const cases = [
  ...readFolder<Refusal[]>("refusals").values(),
  ...readFolder<Acceptance[]>("acceptances").values(),
].flat();

/** What has passed, by operation and status, of every proxy of these tests. */
const met = new Set<string>();

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
    note(passed, document);
  });

  it.each(STORIES)("finds nothing wrong with the scenario %s", async (name) => {
    const { code, stdout } = await runCli(["scenario", "run", name, "--url", proxy.url]);
    expect(stdout).toContain("all ");
    expect(code).toBe(0);
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

  it("finds nothing wrong with the control routes", async () => {
    const create = async (noun: "payins" | "payouts"): Promise<string> => {
      const base = noun === "payins" ? "payin-full" : "payout-email";
      return String((await ask(200, "POST", `/v1/${noun}`, { base })).json["id"]);
    };
    for (const [noun, moves] of [
      ["payins", ["pay", "cancel", "expire"]],
      ["payouts", ["complete", "cancel"]],
    ] as const) {
      for (const move of moves) {
        const path = `/_sandbox/${noun}/${await create(noun)}`;
        await ask(200, "POST", `${path}/${move}`);
        await ask(422, "POST", `${path}/${move}`);
        await ask(200, "GET", path);
      }
      const { json } = await ask(200, "GET", `/_sandbox/${noun}?limit=1&status=canceled`);
      await ask(200, "GET", `/_sandbox/${noun}?after=${String(json["next"])}`);
      await ask(400, "GET", `/_sandbox/${noun}?limit=0`);
    }

    merchant.answerWith({ status: 429, headers: { "retry-after": "7" }, body: "busy" });
    await ask(200, "POST", `/_sandbox/payins/${await create("payins")}/pay`);
    await ask(200, "POST", "/_sandbox/settle");
    merchant.answerWith(200);
    const advanced = await ask(200, "POST", "/_sandbox/clock/advance", { body: { seconds: 600 } });
    expect(advanced.json["happened"]).not.toEqual([]);
    const { json: delivery } = await ask(200, "GET", "/_sandbox/wait?type=payin.paid");
    await ask(408, "GET", "/_sandbox/wait?type=payin.expired&timeout_ms=0");
    const id = String(delivery["id"]);
    await ask(200, "GET", `/_sandbox/deliveries/${id}`);
    await ask(200, "POST", `/_sandbox/deliveries/${id}/resend`);
    await ask(200, "POST", "/_sandbox/deliveries/resend", { body: { type: "payin.paid" } });
    await ask(200, "POST", "/_sandbox/deliveries/resend?status=failed");
    await ask(200, "GET", "/_sandbox/deliveries?limit=1000");
    await ask(200, "GET", "/_sandbox/requests?limit=1000");
    for (const format of ["json", "junit", "markdown"])
      await ask(200, "GET", `/_sandbox/report?format=${format}`);
    await ask(200, "GET", "/_sandbox/report/rules");
    await ask(200, "DELETE", "/_sandbox/report");

    const { json: clock } = await ask(200, "GET", "/_sandbox/clock");
    await ask(200, "GET", "/_sandbox/clock/next");
    await ask(200, "POST", "/_sandbox/clock/resume");
    await ask(200, "POST", "/_sandbox/clock/freeze");
    await ask(200, "POST", "/_sandbox/clock/set", { body: { now: "2099-01-01T12:00Z" } });
    await ask(422, "POST", "/_sandbox/clock/set", { body: { now: clock["now"] } });
    await ask(422, "POST", "/_sandbox/clock/advance", { body: { seconds: -1 } });

    const { json: created } = await ask(200, "POST", "/v1/payins", { base: "payin" });
    const code = { code: created["qr_code"] };
    await ask(200, "POST", "/_sandbox/pay", { body: code });
    await ask(422, "POST", "/_sandbox/pay", { body: code });
    await ask(404, "POST", "/_sandbox/pay", { body: code, headers: { "x-api-token": "other" } });
    await ask(200, "POST", "/_sandbox/sink/own", { body: { type: "payin.paid" } });
    await ask(200, "GET", "/_sandbox/sink");

    for (const name of [
      "health",
      "ready",
      "metrics",
      "about",
      "secret",
      "env",
      "openapi.json",
      "integrations",
      "assumptions",
    ])
      await ask(200, "GET", `/_sandbox/${name}`);
    const choices = { "webhook.timeout_seconds": 5, "payout.rival": "allow" };
    await ask(200, "PATCH", "/_sandbox/assumptions", { body: choices });
    await ask(400, "PATCH", "/_sandbox/assumptions", { body: { "payout.rival": "duel" } });
  });

  it("finds nothing wrong with faults, and with the calls that they hold", async () => {
    const order = { on: "payouts.create", effect: "hold", times: 2, match: { value: 25.75 } };
    const { json: fault } = await ask(200, "POST", "/_sandbox/faults", { body: order });
    const path = `/_sandbox/faults/${String(fault["id"])}`;
    const calls = ["first", "second"].map((key) =>
      ask(200, "POST", "/v1/payouts", {
        base: "payout-phone",
        headers: { "x-idempotency-key": key },
      }),
    );
    let held: unknown;
    while (!Array.isArray(held) || held.length < 2) ({ held } = (await ask(200, "GET", path)).json);
    await ask(200, "POST", `${path}/release`, { body: { order: ["second"] } });
    await Promise.all(calls);
    await ask(200, "POST", `${path}/release`);
    await ask(400, "POST", `${path}/release`, { body: { order: ["third"] } });
    await ask(200, "GET", "/_sandbox/faults?limit=1");
    await ask(200, "DELETE", path);
    await ask(400, "POST", "/_sandbox/faults", { body: { ...order, effect: "explode" } });
    const lost = { on: "payins.create", effect: "lost_answer", times: 1 };
    await ask(200, "POST", "/_sandbox/faults", { body: lost });
    await ask(200, "DELETE", "/_sandbox/faults");
  });

  it("finds nothing wrong with snapshots, nor with one that is damaged", async () => {
    const path = "/_sandbox/snapshots/before";
    await ask(200, "PUT", path);
    await ask(200, "GET", "/_sandbox/snapshots");
    await ask(200, "POST", `${path}/restore`);
    await writeFile(folder.at("state.json.before.snapshot"), "Dear diary\n");
    await ask(422, "POST", `${path}/restore`);
    await ask(200, "DELETE", path);
    await ask(404, "DELETE", path);
    await ask(400, "PUT", "/_sandbox/snapshots/Before");
    await ask(200, "POST", "/_sandbox/reset");
  });

  it("finds fault with the fixtures that are refused for their form, and with no other", async () => {
    let count = 0;
    for (const { name, given, request, ...refusal } of cases) {
      const body = bodyOf(request);
      const { method, path, headers: own = {}, omit_headers: omitted = [] } = request;
      // What begins with a record is told by the stories.
      if (given !== undefined || body === undefined || !canPass(method, own)) continue;
      const token = `case ${++count}`;
      const sent = requestOf(merchant, { body, headers: { "x-api-token": token, ...own } }, path);
      for (const header of omitted) delete sent.headers[header];
      const { status, violations } = await send(proxy.url, method, path, sent);
      const { errors = [] } = ("answer" in refusal ? refusal.answer : {}) as {
        errors?: readonly { readonly field: string }[];
      };
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

  it("finds nothing wrong with the stream, nor with a call that a stop ends", async () => {
    await ask(200, "POST", "/v1/payins", { base: "payin" });
    const headers = { expect: "100-continue" };
    const stream = ask(200, "GET", "/_sandbox/events?since=all", { headers });
    const waiting = ask(503, "GET", "/_sandbox/wait?timeout_ms=600000", { headers });
    await proxy.untilTaken(2);
    await sandbox.stop();
    await waiting;
    expect((await stream).body).toContain("event: payin\n");
  });

  it("finds nothing wrong with a sandbox that cannot write", async () => {
    await using full = await createFolder();
    const limited = ["sh", "-c", 'ulimit -f 128; exec "$@"', "sh"];
    await using refusing = await serveUnder(limited, ["--state", full.at("state.json")]);
    proxy.passTo(refusing.url);
    const { json: payin } = await ask(200, "POST", "/v1/payins", { base: "payin" });
    const { json: payout } = await ask(200, "POST", "/v1/payouts", { base: "payout-cpf" });
    const { json: paid } = await ask(200, "POST", "/v1/payins", { base: "payin" });
    await ask(200, "POST", `/_sandbox/payins/${String(paid["id"])}/pay`);
    const { json: delivery } = await ask(200, "GET", "/_sandbox/wait");
    const order = { on: "webhook", effect: "early", times: 1 };
    const { json: fault } = await ask(200, "POST", "/_sandbox/faults", { body: order });
    await ask(200, "PUT", "/_sandbox/snapshots/kept");
    // A folder stands where one snapshot would be.
    await mkdir(full.at("state.json.another.snapshot"));
    const fill = async (): Promise<void> => {
      let status = 200;
      while (status === 200)
        ({ status } = await tell("POST", "/v1/payins", { base: "payin-full" }));
    };
    // A full journal can be merged into the state file, until the records do not fit into that either.
    let stored = 0;
    for (let tries = 0; stored < 75 && tries < 5000; tries++) {
      const { status } = await tell("POST", "/v1/payins", { base: "payin-full" });
      if (status === 200) stored++;
    }
    await fill();

    const ids: Record<string, unknown> = {
      payins: payin["id"],
      payouts: payout["id"],
      deliveries: delivery["id"],
      faults: fault["id"],
    };
    const bodies: Record<string, Json> = {
      simulatePayin: { transaction_id: payin["id"], status: "completed" },
      simulatePayout: { transaction_id: payout["id"], status: "completed" },
      setClock: { now: "2099-01-01T12:00Z" },
      resendDeliveries: { type: "payin.paid" },
      payCode: { code: payin["qr_code"] },
    };
    for (const { method, path: template, operation } of operationsOf(document)) {
      const { operationId } = operation;
      if (!unmetIn(document).includes(`${operationId} 503`)) continue;
      const path = template
        .replace("{id}", String(ids[template.split("/")[2] ?? ""]))
        .replace("{name}", operationId === "restoreSnapshot" ? "kept" : "another");
      // A shorter line may have had room.
      await fill();
      await ask(503, method, path, { body: bodies[operationId] ?? exampleOf(operation) });
    }
  });

  it("finds what is wrong in an answer, whichever operation and status it is of", async () => {
    const passed = new Map(
      proxy.exchanges.map((exchange) => {
        const { method, path, status } = exchange;
        return [`${operationAt(document, method, path)?.operationId} ${status}`, exchange];
      }),
    );
    expect(passed.size).toBeGreaterThan(250);
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

  it("finds nothing wrong where other choices are made, nor with the statuses that they bring", async () => {
    const choices = [
      "rate_limit.per_minute=2",
      "payout.rival=reject",
      "header.missing=unauthorized",
    ];
    const assume = [...choices, "error.language=pt"].flatMap((choice) => ["--assume", choice]);
    await using strict = await startServe(["--memory", ...assume]);
    const described = await documentOf(strict);
    await using guard = await startValidatingProxy(described, strict.url);
    const demand = asking(telling(guard, merchant));
    const gateway = operationsOf(described).filter(({ path }) => path.startsWith("/v"));
    for (const { method, path, operation } of gateway) {
      const base = FAULTY[path];
      const { operationId: token } = operation;
      const body = exampleOf(operation);
      const request =
        base === undefined ? { body } : { base, members: { receiver_cpf: "52998224725" } };
      const headers = { "x-api-token": token };
      await demand(401, method, path, { ...request, headers: { ...headers, "x-provider": "" } });
      const statuses: Record<string, number[]> = {
        createPayout: [200, 422],
        simulatePayin: [422, 422],
        simulatePayout: [422, 422],
        readWebhook: [404, 404],
      };
      for (const status of statuses[token] ?? [200, 200])
        await demand(status, method, path, { ...request, headers });
      const refused = await demand(429, method, path, { ...request, headers });
      expect(refused.headers).toHaveProperty("retry-after");
    }
    expect(guard.exchanges.flatMap((exchange) => wrongWith(exchange, described))).toEqual([]);
    note(guard.exchanges, described);

    const body = '{"message":"","code":"NOT_PROCESSABLE","errors":[]}';
    guard.answerWith({ status: 429, headers: { "content-type": "application/json" }, body });
    const { violations } = await telling(guard, merchant)("GET", "/v1/webhooks");
    expect(violations).toMatchObject([{ location: ["response", "header"] }]);
    expect(unmetIn(described)).toEqual([]);
  });

  it("has seen every operation, and every status that can be brought about", () => {
    expect(unmetIn(document)).toEqual([]);
    expect(UNMET.flatMap(({ names }) => names).filter((name) => met.has(name))).toEqual([]);
    const described = new Set(statusesOf(document));
    expect(UNMET.flatMap(({ names }) => names).filter((name) => !described.has(name))).toEqual([]);
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

function isKnownUnmet(name: string): boolean {
  return UNMET.some(({ names }) => names.includes(name));
}

function statusesOf(document: Document): readonly string[] {
  return operationsOf(document).flatMap(({ operation }) =>
    Object.keys(operation.responses).map((status) => `${operation.operationId} ${status}`),
  );
}

function unmetIn(document: Document): readonly string[] {
  return statusesOf(document).filter((name) => !met.has(name) && !isKnownUnmet(name));
}

/** The same JSON object, its first member as `change` makes it; without it, where that is undefined. */
function tampered(body: string, change: (value: unknown) => unknown): string {
  const members = JSON.parse(body) as Json;
  const [name = ""] = Object.keys(members);
  return JSON.stringify({ ...members, [name]: change(members[name]) });
}

function exampleOf({ requestBody }: Operation): unknown {
  return Object.values(requestBody?.content["application/json"]?.examples ?? {})[0]?.value;
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

function note(exchanges: readonly Exchange[], document: Document): void {
  for (const { method, path, status } of exchanges) {
    const operation = operationAt(document, method, path);
    if (operation) met.add(`${operation.operationId} ${status}`);
  }
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

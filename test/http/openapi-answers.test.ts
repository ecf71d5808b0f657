import { once } from "node:events";
import http from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readEventStream, type ServerSentEvent } from "../../src/wire/server-sent-events.ts";
import { ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import { MAGIC } from "../../src/core/faults/magic.ts";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { requests } from "../support/fixtures.ts";
import { type Answer, type Call, call, type Json, send } from "../support/gateway.ts";
import { type Merchant, startMerchant, verified } from "../support/merchant.ts";
import {
  compile,
  documentFor,
  routesOf,
  standard,
  type Document,
  type Operation,
  type Schemas,
} from "./openapi.ts";

const MIB = 1024 * 1024;

/** No wait is meant to take this long: it is what a test says instead of hanging. */
const PATIENCE_MS = 30_000;

const FAULTY = [
  ["/v1/payins", "payin"],
  ["/v2/payins", "payin"],
  ["/v1/payouts", "payout-cpf"],
  ["/v1/payins/simulations", "payin-simulation"],
  ["/v1/payouts/simulations", "payout-simulation"],
] as const;
const ERROR_CODES = {
  VALIDATION_ERROR: 400,
  NO_ACTIVE_CREDENTIAL: 401,
  DUPLICATED_VALUE: 409,
  NOT_PROCESSABLE: 422,
  EXTERNAL_ERROR: 502,
};

/** The code of the document's example. */
const standardCode = (): unknown =>
  (standard.components.schemas["PayinCode"] as { examples: Json[] }).examples[0]?.["code"];

/** One story, told in order: what is looked at was made before it. */
describe("a running sandbox", { timeout: 60_000 }, () => {
  let sandbox: Sandbox;
  let merchant: Merchant;
  let document: Document;
  let schemas: Schemas;
  const met = new Set<string>();

  beforeAll(async () => {
    merchant = await startMerchant({
      answer: ({ path }) => {
        if (path === "/moved") return { status: 302, headers: { location: "/elsewhere" } };
        if (path === "/busy") return { status: 429, headers: { "retry-after": "7" } };
        return { status: 200, body: "thanks" };
      },
    });
    const credentials = [{ apiKey: "shop", apiSecret: "open sesame", merchantId: "42" }];
    const now = new Date("2026-11-21T12:00:00Z");
    sandbox = await startSandbox({ clock: "frozen", now, credentials, magic: true });
    const answer = await call(sandbox, { method: "GET", path: "/_sandbox/openapi.json" });
    document = answer.json as Document;
    schemas = compile(document);
  });
  afterAll(async () => {
    await sandbox.close();
    await merchant.close();
  });

  /** Sends a request and holds the answer, and where it is accepted the body, against the document. */
  const ask = async (request: Call): Promise<Answer> => {
    const { method = "POST", path } = request;
    // A requested failure is a 502 too.
    const isRequested = request.headers?.["x-sandbox-fault"] !== undefined;
    const answer = await (isRequested ? send : call)(sandbox, request);
    const operation = operationAt(document, method, path);
    const response = operation.responses[String(answer.status)];
    const [type = ""] = (answer.headers["content-type"] ?? "").split(";");
    const schema = response?.content[type]?.schema;
    const where = `${method} ${path}: ${answer.status} ${type}`;
    expect({ where, isDescribed: schema !== undefined }).toEqual({ where, isDescribed: true });
    expect({ where, errors: schemas.errorsOf(schema ?? {}, answer.json ?? answer.text) }).toEqual({
      where,
      errors: [],
    });
    for (const name of ["idempotent-replayed", "x-sandbox-magic"])
      if (answer.headers[name] !== undefined)
        expect(Object.keys(response?.headers ?? {})).toContain(name);
    const taken = operation.requestBody?.content["application/json"];
    if (answer.status === 200 && taken && request.body !== undefined)
      expect({ where, errors: schemas.errorsOf(taken.schema, request.body) }).toEqual({
        where,
        errors: [],
      });
    met.add(`${operation.operationId} ${answer.status}`);
    return answer;
  };
  const expectStatus = async (status: number, request: Call): Promise<Json> => {
    const answer = await ask(request);
    expect({ ...request, status: answer.status }).toEqual({ ...request, status });
    return answer.json as Json;
  };
  const get = (path: string, status = 200) => expectStatus(status, { method: "GET", path });
  const post = (path: string, body?: unknown, status = 200) =>
    expectStatus(status, { path, ...(body !== undefined && { body }) });
  const create = async (path: string, base: string, members: Json = {}): Promise<string> => {
    const body = { ...requests.get(base), webhook_url: merchant.url, ...members };
    return String((await post(path, body))["id"]);
  };
  const createPayin = (members?: Json) => create("/v1/payins", "payin-full", members);
  const createPayout = (members?: Json) => create("/v1/payouts", "payout-evp", members);

  it("answers the gateway's routes as they are described", async () => {
    const headers = { "x-idempotency-key": "order-1" };
    for (const [path, base] of [
      ["/v1/payins", "payin"],
      ["/v2/payins", "payin-full"],
      ["/v1/payouts", "payout-cpf"],
    ] as const) {
      const own = { "x-idempotency-key": path };
      const body = { ...requests.get(base), webhook_url: merchant.url };
      await expectStatus(200, { path, headers: own, body });
      const repeat = await ask({ path, headers: own, body });
      expect(repeat.headers["idempotent-replayed"]).toBe("true");
      await expectStatus(409, { path, headers: own, body: { ...body, value: 1 } });
      await expectStatus(400, { path, headers, body: { ...body, value: "1" } });
    }
    // The receiver has a payout in progress.
    await createPayout({ receiver_cpf: requests.get("payout-cpf")?.["receiver_cpf"] });

    await get("/v1/webhooks", 404);
    const configuration = { ...requests.get("webhook-configuration"), webhook_url: merchant.url };
    await expectStatus(200, { method: "PUT", path: "/v1/webhooks", body: configuration });
    await get("/v1/webhooks");

    const simulation = { status: "completed" };
    const payin = { ...simulation, transaction_id: await createPayin() };
    const payout = {
      ...simulation,
      transaction_id: await createPayout({ receiver_cpf: "12345678909" }),
    };
    for (const status of [200, 422]) {
      await post("/v1/payins/simulations", payin, status);
      await post("/v1/payouts/simulations", payout, status);
    }
  });

  it("answers the control routes as they are described", async () => {
    await get("/_sandbox/health");
    await get("/_sandbox/ready");
    for (const move of ["pay", "cancel", "expire"]) {
      const path = `/_sandbox/payins/${await createPayin()}/${move}`;
      await post(path);
      await post(path, {}, 422);
      await post(`/_sandbox/payins/unknown/${move}`, undefined, 404);
    }
    const { qr_code: code } = await get(`/_sandbox/payins/${await createPayin()}`);
    await post("/_sandbox/pay", { code });
    await post("/_sandbox/pay", { code }, 422);
    await post("/_sandbox/pay", { code: standardCode() }, 404);
    for (const move of ["complete", "cancel"]) {
      const id = await createPayout({ receiver_cpf: "98765432100" });
      await post(`/_sandbox/payouts/${id}/${move}`);
      await post(`/_sandbox/payouts/${id}/${move}`, {}, 422);
      await post(`/_sandbox/payouts/unknown/${move}`, undefined, 404);
    }
    for (const noun of ["payins", "payouts"]) {
      const { data, next } = await get(`/_sandbox/${noun}?limit=2`);
      expect(next).toBeTypeOf("string");
      await get(`/_sandbox/${noun}?after=${String(next)}`);
      await get(`/_sandbox/${noun}?status=waiting`);
      await get(`/_sandbox/${noun}/${String((data as Json[])[0]?.["id"])}`);
      await get(`/_sandbox/${noun}/unknown`, 404);
    }
    const own = { match: { value: 1 }, times: 2, probability: 0.5 };
    await post("/_sandbox/faults", { on: "webhook", effect: "early", ...own });
    const hold = await post("/_sandbox/faults", { on: "payouts.simulate", effect: "hold" });
    const fault = `/_sandbox/faults/${String(hold["id"])}`;
    await get("/_sandbox/faults?limit=1");
    await get(fault);
    await get("/_sandbox/faults/unknown", 404);
    await post("/_sandbox/faults", { on: "webhook", effect: "hold" }, 400);
    await post(`${fault}/release`);
    await post("/_sandbox/faults/unknown/release", undefined, 404);
    await expectStatus(200, { method: "DELETE", path: fault });
    await expectStatus(404, { method: "DELETE", path: fault });
    await expectStatus(200, { method: "DELETE", path: "/_sandbox/faults" });
    await get("/_sandbox/integrations");
    await get("/_sandbox/secret");
    await get("/_sandbox/env");
    await get("/_sandbox/about");
    await get("/_sandbox/openapi.json");
    await get("/_sandbox/assumptions");
    await expectStatus(200, {
      method: "PATCH",
      path: "/_sandbox/assumptions",
      body: { "webhook.timeout_seconds": 5 },
    });
  });

  it("answers about webhooks as it is described, however their attempts end", async () => {
    const urls = [merchant.url, merchant.at("/moved"), merchant.at("/busy"), "http://127.0.0.1:9/"];
    for (const webhook_url of urls)
      await post(`/_sandbox/payins/${await createPayin({ webhook_url })}/pay`);
    await post("/_sandbox/settle");

    const wanted = "type=payin.paid";
    const { id, transaction_id } = await get(`/_sandbox/wait?${wanted}`);
    await get(`/_sandbox/wait?transaction_id=${String(transaction_id)}&id=${String(id)}`);
    const { seen } = await get("/_sandbox/wait?type=payin.expired&timeout_ms=0", 408);
    expect(seen).toHaveLength(10);

    await post(`/_sandbox/deliveries/${String(id)}/resend`);
    await post("/_sandbox/deliveries/unknown/resend", undefined, 404);
    await post("/_sandbox/deliveries/resend", { status: "pending" });
    await post(`/_sandbox/deliveries/resend?${wanted}&status=delivered`);
    await get(`/_sandbox/deliveries/${String(id)}`);
    await get("/_sandbox/deliveries/unknown", 404);

    const payin = await createPayin({ webhook_url: `${sandbox.url}/_sandbox/sink/order-1` });
    await post(`/_sandbox/payins/${payin}/pay`);
    await post("/_sandbox/settle");
    await post("/_sandbox/sink/order-2", { type: "payin.paid" });
    const headers = { "x-api-token": undefined };
    const path = "/_sandbox/sink?limit=2";
    const { data: received } = await expectStatus(200, { method: "GET", path, headers });
    expect(received).toMatchObject([{ verified: true }, { verified: false }]);
    await get(`/_sandbox/deliveries?${wanted}&limit=1`);

    const { data } = await get("/_sandbox/deliveries?limit=1000");
    const attempts = (data as { attempts: Json[] }[]).flatMap((delivery) => delivery.attempts);
    const variants = document.components.schemas["Attempt"]?.["anyOf"] as { properties: Json }[];
    expect(new Set(attempts.flatMap(Object.keys))).toEqual(
      new Set(variants.flatMap(({ properties }) => Object.keys(properties))),
    );
  });

  it("answers about its clock as it is described, and about what happened", async () => {
    const { now, happened } = await get("/_sandbox/clock");
    expect(await get("/_sandbox/clock/next")).toHaveProperty("next.kind");
    expect(happened).toEqual([]);
    const advanced = await post("/_sandbox/clock/advance", { seconds: 3600 });
    const kinds = new Set((advanced["happened"] as { kind: string }[]).map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(["attempt", "delivery", "payin"]);
    await post("/_sandbox/clock/set", { now: "2026-11-21T15:00:00.5Z" });
    await post("/_sandbox/clock/set", { now }, 422);
    await post("/_sandbox/clock/advance", { seconds: -1 }, 422);
    await post("/_sandbox/clock/resume");
    await post("/_sandbox/clock/freeze");
  });

  it("answers about snapshots and a reset as it is described", async () => {
    const path = "/_sandbox/snapshots/paid";
    const token = "reset";
    await expectStatus(200, { method: "PUT", path, token });
    const listed = await expectStatus(200, { method: "GET", path: "/_sandbox/snapshots", token });
    expect(listed).toMatchObject({ data: [{ name: "paid" }] });
    await expectStatus(200, { path: `${path}/restore`, token });
    await expectStatus(200, { path: "/_sandbox/reset", token });
    await expectStatus(200, { method: "DELETE", path, token });
    await expectStatus(404, { method: "DELETE", path, token });
    await expectStatus(404, { path: `${path}/restore`, token });
    await expectStatus(400, { method: "PUT", path: "/_sandbox/snapshots/Paid", token });
  });

  it("streams events of every kind as described", async () => {
    await using stream = await openStream(`${sandbox.url}/_sandbox/events?since=all`);
    // The records tell of no reset: whoever listens hears of it.
    await expectStatus(200, { path: "/_sandbox/reset", token: "reset" });
    // Nor of what is in no record: a request, a held call, a changed choice or clock, a snapshot.
    await get("/v1/webhooks");
    await expectStatus(200, { path: "/_sandbox/clock/advance", body: { seconds: 1 } });
    await expectStatus(200, {
      method: "PATCH",
      path: "/_sandbox/assumptions",
      body: { "payout.rival": "cancel" },
    });
    const snapshot = "/_sandbox/snapshots/streamed";
    await expectStatus(200, { method: "PUT", path: snapshot, token: "reset" });
    await expectStatus(200, { method: "DELETE", path: snapshot, token: "reset" });
    await expectStatus(200, { method: "DELETE", path: "/_sandbox/report", token: "reset" });
    await expectStatus(200, { method: "GET", path: "/_sandbox/report/rules" });
    await expectStatus(200, { path: "/_sandbox/sink/streamed", body: { type: "payin.paid" } });
    await expectStatus(200, { path: `/_sandbox/payins/${await createPayin()}/pay` });
    const fault = await expectStatus(200, {
      path: "/_sandbox/faults",
      body: { on: "payins.create", effect: "hold", times: 1 },
    });
    const held = createPayin();
    const operation = operationAt(document, "GET", "/_sandbox/events");
    expect(stream.answer.headers["content-type"]).toBe(
      Object.keys(operation.responses["200"]?.content ?? {})[0],
    );
    const parts = document.components.schemas["StreamEvent"]?.["oneOf"] as {
      properties: { event: { const: string }; data: { contentSchema: Json } };
    }[];
    const dataSchemas = new Map(
      parts.map(({ properties }) => [properties.event.const, properties.data.contentSchema]),
    );
    const unseen = new Set(dataSchemas.keys());
    const numberless = { id: "evt_1", event: "payin", data: "{}" };
    expect(schemas.errorsOf({ $ref: "#/components/schemas/StreamEvent" }, numberless)).not.toEqual(
      [],
    );
    const check = ({ id, event, data }: ServerSentEvent): void => {
      const fields = { ...(id !== undefined && { id }), event, data };
      const errors = [
        ...schemas.errorsOf({ $ref: "#/components/schemas/StreamEvent" }, fields),
        ...schemas.errorsOf(dataSchemas.get(event) ?? {}, JSON.parse(data)),
      ];
      expect({ fields, errors }).toEqual({ fields, errors: [] });
      unseen.delete(event);
    };
    check(await droppedEvent(sandbox));
    for await (const one of readEventStream(stream.answer)) {
      check(one);
      const { event } = one;
      if (event === "held")
        await expectStatus(200, { path: `/_sandbox/faults/${String(fault["id"])}/release` });
      if (unseen.size === 0) break;
    }
    expect([...unseen]).toEqual([]);
    await held;
    met.add("streamEvents 200");
    await get("/_sandbox/events?since=evt_unknown", 404);
    await get("/_sandbox/events?since=yesterday", 400);
  });

  it("sends webhooks as they are described", () => {
    const { post: sent } = document.webhooks.event;
    const { schema = {} } = sent.requestBody?.content["application/json"] ?? {};
    expect(merchant.received.length).toBeGreaterThan(10);
    for (const one of merchant.received) {
      const { data } = verified(one, sandbox.secret);
      expect({ data, errors: schemas.errorsOf(schema, JSON.parse(one.body)) }).toEqual({
        data,
        errors: [],
      });
      for (const { name } of sent.parameters ?? []) expect(one.headers).toHaveProperty(name);
    }
  });

  it("answers with a failure that a call requests as it is described", async () => {
    for (const [path, base] of FAULTY)
      for (const [code, status] of Object.entries(ERROR_CODES)) {
        const body = { ...requests.get(base), webhook_url: merchant.url };
        const headers = { "x-sandbox-fault": `error=${code}` };
        await expectStatus(status, { path, headers, body });
      }
  });

  it("refuses what every route refuses as it is described", async () => {
    for (const { method, path, operation } of routesOf(document)) {
      const request = { method, path: path.replace(/{\w+}/, "unknown") };
      await expectStatus(400, { ...request, headers: { host: "%" } });
      await expectStatus(403, { ...request, headers: { host: "merchant.example" } });
      if (operation.responses["415"])
        await expectStatus(415, {
          ...request,
          headers: { "content-type": "text/plain" },
          body: "{}",
        });
      if (operation.responses["413"])
        await expectStatus(413, { ...request, body: " ".repeat(MIB + 1) });
      for (const { name, required, in: place } of operation.parameters ?? [])
        if (required === true && place !== "path")
          await expectStatus(400, { ...request, headers: { [name]: undefined }, body: {} });
    }
  });

  it("takes the values of a query that are described, and no other", async () => {
    for (const { method, path, operation } of routesOf(document)) {
      for (const { name, in: place, schema } of operation.parameters ?? []) {
        const values = place === "query" ? valuesAround(schema) : [];
        for (const value of values) {
          const isDescribed = schemas.errorsOf(schema, value).length === 0;
          const request = { method, path: `${path}?${name}=${value}` };
          await expectStatus(isDescribed ? 200 : 400, request);
        }
      }
    }
  });

  it("takes the choices that are described, in every spelling, and no other", async () => {
    const schema = { $ref: "#/components/schemas/AssumptionChanges" };
    const { properties } = document.components.schemas["AssumptionChanges"] as {
      properties: Readonly<Record<string, { enum?: unknown[] }>>;
    };
    expect(Object.keys(properties)).toEqual(Object.keys(ASSUMPTIONS));
    const others = [0, 1, "1", 1.5, "01", 10 ** 15 - 1, 10 ** 15, true, null, "", "nonsense", {}];
    for (const [name, { enum: choices = [] }] of Object.entries(properties)) {
      for (const choice of [...choices, ...others]) {
        const body = { [name]: choice };
        const isDescribed = schemas.errorsOf(schema, body).length === 0;
        const request = { method: "PATCH", path: "/_sandbox/assumptions", token: name, body };
        await expectStatus(isDescribed ? 200 : 400, request);
      }
    }
    await expectStatus(400, {
      method: "PATCH",
      path: "/_sandbox/assumptions",
      body: { unknown: "1" },
    });
    expect(schemas.errorsOf(schema, { unknown: "1" })).not.toEqual([]);
  });

  it("describes the rules for the calling integration", async () => {
    const token = "careful";
    const body = { unknown_field: "reject", "value.unit": "centavos" };
    await expectStatus(200, { method: "PATCH", path: "/_sandbox/assumptions", token, body });
    const request = { method: "GET", path: "/_sandbox/openapi.json" };

    const { json } = await ask({ ...request, token });
    expect(json).toEqual({ ...documentFor(body), servers: [{ url: "/" }] });
    const { json: everyones } = await ask({ ...request, headers: { "x-api-token": undefined } });
    expect(everyones).toMatchObject({ components: standard.components });
  });

  it.each([
    [{}, [401, 422, 409]],
    [{ "error.status": "always_400" }, [400, 400, 400]],
  ])(
    "answers with the statuses that are described where %j is assumed too",
    async (more, statuses) => {
      const token = `strict ${Object.keys(more).length}`;
      const changes = { "header.missing": "unauthorized", "payout.rival": "reject", ...more };
      const body = { ...requests.get("payout-cpf"), webhook_url: merchant.url };
      await expectStatus(200, {
        method: "PATCH",
        path: "/_sandbox/assumptions",
        token,
        body: changes,
      });
      const described = await ask({ method: "GET", path: "/_sandbox/openapi.json", token });
      const { responses } = operationAt(described.json as Document, "POST", "/v1/payouts");

      const path = "/v1/payouts";
      const headers = { "x-idempotency-key": "order-1" };
      await expectStatus(200, { path, token, headers, body });
      const refused = [
        await call(sandbox, { path, token, headers: { "x-provider": undefined }, body }),
        await call(sandbox, { path, token, body }),
        await call(sandbox, { path, token, headers, body: { ...body, value: 1 } }),
      ];
      expect(refused.map(({ status }) => status)).toEqual(statuses);
      for (const { status, json } of refused) {
        const schema = responses[status]?.content["application/json"]?.schema;
        expect(schemas.errorsOf(schema ?? { not: {} }, json)).toEqual([]);
      }
    },
  );

  it("answers a path and a method that are not described with the same envelope", async () => {
    const schema = { $ref: "#/components/schemas/Error" };
    for (const path of ["/v1", "/v1/nothing", "/_sandbox/payins/1/2"]) {
      const { status, json } = await call(sandbox, { method: "GET", path });
      expect({ path, status, errors: schemas.errorsOf(schema, json) }).toEqual({
        path,
        status: 404,
        errors: [],
      });
    }
    for (const [path, methods] of Object.entries(document.paths)) {
      const allow = Object.keys(methods).map((method) => method.toUpperCase());
      const method = allow.includes("DELETE") ? "PATCH" : "DELETE";
      const { status, headers, json } = await call(sandbox, { method, path });
      expect({ path, status, allow: headers["allow"] }).toEqual({
        path,
        status: 405,
        allow: allow.join(", "),
      });
      const isProblem = path.startsWith("/v2/");
      const form = isProblem ? { $ref: "#/components/schemas/Problem" } : schema;
      expect(schemas.errorsOf(form, json)).toEqual([]);
    }
  });

  it.each([
    ["/v1/payins", "payin", "buyer_cpf"],
    ["/v2/payins", "payin", "buyer_cpf"],
    ["/v1/payouts", "payout-cpf", "receiver_cpf"],
  ])("names a magic value as it is described, at %s", async (path, base, member) => {
    const members = { webhook_url: merchant.url, [member]: MAGIC.canceled_later.cpf };
    const { headers } = await ask({ path, body: { ...requests.get(base), ...members } });
    expect(headers["x-sandbox-magic"]).toBe("canceled_later");
  });

  it("has by now answered with every status that is described, but for a failing store", () => {
    const described = routesOf(document).flatMap(({ operation }) =>
      Object.keys(operation.responses).map((status) => `${operation.operationId} ${status}`),
    );
    const isOfFiles = (one: string): boolean =>
      one.endsWith(" 503") || one === "restoreSnapshot 422";
    expect(described.filter((one) => !met.has(one) && !isOfFiles(one))).toEqual([]);
  });
});

/** A path without parameters goes before one that has them, as OpenAPI has it. */
function operationAt(document: Document, method: string, address: string): Operation {
  const [path = ""] = address.split("?");
  const methods =
    document.paths[path] ??
    Object.entries(document.paths).find(([template]) =>
      new RegExp(`^${template.replace(/{\w+}/, "[^/]+")}$`).test(path),
    )?.[1];
  const operation = methods?.[method.toLowerCase()];
  if (!operation) throw new Error(`${method} ${path} is not described.`);
  return operation;
}

/** Values on both sides of each bound that a parameter has; none where it has no bounds. */
function valuesAround(schema: Json): readonly (string | number)[] {
  const {
    enum: choices,
    minimum,
    maximum,
  } = schema as {
    enum?: string[];
    minimum?: number;
    maximum?: number;
  };
  if (choices) return [...choices, "nonsense"];
  return minimum === undefined || maximum === undefined
    ? []
    : [minimum - 1, minimum, maximum, maximum + 1, minimum + 0.5];
}

async function openStream(
  url: string,
): Promise<AsyncDisposable & { readonly answer: http.IncomingMessage }> {
  const request = http.get(url, { agent: false, signal: AbortSignal.timeout(PATIENCE_MS) });
  const [answer] = (await once(request, "response")) as [http.IncomingMessage];
  return {
    answer,
    async [Symbol.asyncDispose]() {
      request.destroy();
    },
  };
}

/** The event of a reader that has lost requests because it did not read. */
async function droppedEvent(sandbox: Sandbox): Promise<ServerSentEvent> {
  const { body } = await sandbox.fetch("/_sandbox/events");
  for (let sent = 0; sent < 200; sent++) await sandbox.fetch("/v1/webhooks");
  const text = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream());
  for await (const one of readEventStream(text)) if (one.event === "dropped") return one;
  throw new Error("The stream has ended.");
}

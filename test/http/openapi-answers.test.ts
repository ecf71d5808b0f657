import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readEventStream } from "../../src/wire/server-sent-events.ts";
import { ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { requests } from "../support/fixtures.ts";
import { type Answer, type Call, call, type Json, send } from "../support/gateway.ts";
import { type Merchant, startMerchant, verified } from "../support/merchant.ts";
import {
  compile,
  differencesOf,
  documentFor,
  operationAt,
  routesOf,
  standard,
  type Document,
  type Schemas,
} from "./openapi.ts";

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

describe("a running sandbox", { timeout: 60_000 }, () => {
  let sandbox: Sandbox;
  let merchant: Merchant;
  let document: Document;
  let schemas: Schemas;

  beforeAll(async () => {
    merchant = await startMerchant();
    const credentials = [{ apiKey: "shop", apiSecret: "open sesame", merchantId: "42" }];
    const now = new Date("2026-11-21T12:00:00Z");
    sandbox = await startSandbox({ clock: "frozen", now, credentials });
    const answer = await call(sandbox, { method: "GET", path: "/_sandbox/openapi.json" });
    document = answer.json as Document;
    schemas = compile(document);
    const configuration = { ...requests.get("webhook-configuration"), webhook_url: merchant.url };
    await call(sandbox, { method: "PUT", path: "/v1/webhooks", body: configuration });
    const body = { ...requests.get("payin"), webhook_url: merchant.url };
    const { json } = await call(sandbox, { path: "/v1/payins", body });
    await call(sandbox, { path: `/_sandbox/payins/${String((json as Json)["id"])}/pay` });
    await call(sandbox, { path: "/_sandbox/settle" });
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
    const differences = differencesOf(document, schemas, request, answer);
    const where = `${method} ${path}: ${answer.status}`;
    expect({ where, differences }).toEqual({ where, differences: [] });
    const response = operation?.responses[String(answer.status)];
    const replayed = "idempotent-replayed";
    if (answer.headers[replayed] !== undefined) expect(response?.headers).toHaveProperty(replayed);
    const taken = operation?.requestBody?.content["application/json"];
    if (answer.status === 200 && taken && request.body !== undefined)
      expect({ where, errors: schemas.errorsOf(taken.schema, request.body) }).toEqual({
        where,
        errors: [],
      });
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

  it("streams events of every kind as described", async () => {
    const stream = await sandbox.fetch("/_sandbox/events");
    await expectStatus(200, { path: "/_sandbox/reset", token: "reset" });
    await get("/v1/webhooks");
    await post("/_sandbox/clock/advance", { seconds: 1 });
    const patch = { method: "PATCH", path: "/_sandbox/assumptions" };
    await expectStatus(200, { ...patch, body: { "payout.rival": "cancel" } });
    const snapshot = { path: "/_sandbox/snapshots/streamed", token: "reset" };
    for (const method of ["PUT", "DELETE"]) await expectStatus(200, { ...snapshot, method });
    await expectStatus(200, { method: "DELETE", path: "/_sandbox/report", token: "reset" });
    await get("/_sandbox/report/rules");
    await post("/_sandbox/sink/streamed", { type: "payin.paid" });
    await post(`/_sandbox/payins/${await createPayin()}/pay`);
    await create("/v1/payouts", "payout-evp");
    const fault = await post("/_sandbox/faults", { on: "payins.create", effect: "hold", times: 1 });
    await create("/v1/payouts", "payout-evp", {});
    const held = createPayin();
    const operation = operationAt(document, "GET", "/_sandbox/events");
    expect(stream.headers.get("content-type")).toBe(
      Object.keys(operation?.responses["200"]?.content ?? {})[0],
    );
    const unseen = new Set(
      [...String(operation?.description).matchAll(/^- `(\w+)`/gm)].map(([, kind]) => kind),
    );
    // Only a reader that was disconnected gets it.
    unseen.delete("missed");
    const text = (stream.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream());
    for await (const { event } of readEventStream(text)) {
      unseen.delete(event);
      if (event === "held") await post(`/_sandbox/faults/${String(fault["id"])}/release`);
      if (unseen.size === 0) break;
    }
    await held;
    await expectStatus(400, {
      method: "GET",
      path: "/_sandbox/events",
      headers: { "last-event-id": "yesterday" },
    });
  });

  it("sends webhooks as they are described", () => {
    const { post: sent } = document.webhooks.event;
    const { schema = {} } = sent.requestBody?.content["application/json"] ?? {};
    expect(merchant.received.length).toBeGreaterThan(1);
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
    const schema = { $ref: "#/components/schemas/AssumptionsBody" };
    const { properties } = document.components.schemas["AssumptionsBody"] as {
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
});

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

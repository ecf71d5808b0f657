import { describe, expect, it } from "vitest";
import { toQuery } from "../../src/wire/route-key.ts";
import { clockMoves } from "../../src/client/clock.ts";
import { Receivers } from "../../src/client/receiver.ts";
import { view, type View, viewIntegration } from "../../src/client/view.ts";
import {
  type Call,
  Calls,
  type Reply,
  SandboxError,
  UnexpectedReplyError,
} from "../../src/client/calls.ts";

/** A client whose calls all get the same answer, unless `answerTo` has another for the route. */
function recorded(answerTo: Readonly<Record<string, unknown>> = {}, token: string | null = null) {
  const calls: { route: string; headers: Call["headers"]; body?: unknown }[] = [];
  const client = new Calls({
    url: "http://sandbox.test",
    send: (path, { method, headers, body }) => {
      const route = `${method} ${path}`;
      calls.push({ route, headers, ...(body !== undefined && { body }) });
      const value = answerTo[route] ?? {
        id: "r1",
        integration: "kiosk",
        data: [{ some_name: 1, used: 1 }],
        next: null,
      };
      return Promise.resolve({ status: 200, body: null, json: () => Promise.resolve(value) });
    },
    identify: (of = "sandbox") => ({ "x-api-token": of, "x-idempotency-key": "new" }),
    token,
  });
  return { client, api: view(client, new Receivers()), calls };
}

const GATEWAY = {
  "content-type": "application/json",
  "x-api-token": "sandbox",
  "x-idempotency-key": "new",
  "x-sandbox-client": "pix-sandbox",
};
const ALL = {};
const SENT = { "content-type": "application/json" };

describe("a method of the test API", () => {
  it.each<[string, (api: View) => Promise<unknown>, string, unknown?]>([
    ["payins.pay", (api) => api.payins.pay("a/b"), "POST /_sandbox/payins/a%2Fb/pay"],
    ["payins.cancel", (api) => api.payins.cancel("a"), "POST /_sandbox/payins/a/cancel"],
    ["payins.expire", (api) => api.payins.expire("a"), "POST /_sandbox/payins/a/expire"],
    ["payins.get", (api) => api.payins.get("a"), "GET /_sandbox/payins/a"],
    ["payins.payCode", (api) => api.payins.payCode("00"), "POST /_sandbox/pay", { code: "00" }],
    ["payins.list", (api) => api.payins.list(), "GET /_sandbox/payins?limit=1000"],
    [
      "payins.list with a filter",
      (api) => api.payins.list({ status: "paid", pixId: "p" }),
      "GET /_sandbox/payins?status=paid&pix_id=p&limit=1000",
    ],
    ["payouts.complete", (api) => api.payouts.complete("a"), "POST /_sandbox/payouts/a/complete"],
    ["payouts.cancel", (api) => api.payouts.cancel("a"), "POST /_sandbox/payouts/a/cancel"],
    ["payouts.get", (api) => api.payouts.get("a"), "GET /_sandbox/payouts/a"],
    [
      "payouts.list",
      (api) => api.payouts.list({ status: "waiting" }),
      "GET /_sandbox/payouts?status=waiting&limit=1000",
    ],
    [
      "webhooks.waitFor",
      (api) => api.webhooks.waitFor({ type: "payin.paid", transactionId: "t", id: "evt_1" }),
      "GET /_sandbox/wait?type=payin.paid&transaction_id=t&id=evt_1&timeout_ms=4000",
    ],
    [
      "webhooks.waitFor with a time",
      (api) => api.webhooks.waitFor({ timeoutMs: 5 }),
      "GET /_sandbox/wait?timeout_ms=5",
    ],
    ["webhooks.get", (api) => api.webhooks.get("e"), "GET /_sandbox/deliveries/e"],
    [
      "webhooks.list",
      (api) => api.webhooks.list({ transactionId: "t" }),
      "GET /_sandbox/deliveries?transaction_id=t&limit=1000",
    ],
    ["webhooks.resend", (api) => api.webhooks.resend("e"), "POST /_sandbox/deliveries/e/resend"],
    [
      "webhooks.resendAll",
      (api) => api.webhooks.resendAll({ transactionId: "t", status: "failed" }),
      "POST /_sandbox/deliveries/resend",
      { transaction_id: "t", status: "failed" },
    ],
    [
      "webhooks.resendAll without a filter",
      (api) => api.webhooks.resendAll(),
      "POST /_sandbox/deliveries/resend",
    ],
    ["requests.list", (api) => api.requests.list(), "GET /_sandbox/requests?limit=1000"],
    ["assumptions.list", (api) => api.assumptions.list(), "GET /_sandbox/assumptions"],
    [
      "assumptions.change",
      (api) => api.assumptions.change({ "payout.rival": "allow" }),
      "PATCH /_sandbox/assumptions",
      { "payout.rival": "allow" },
    ],
    [
      "faults.once",
      (api) => api.faults.once("payins.create", "hold", { value: 1 }),
      "POST /_sandbox/faults",
      { on: "payins.create", effect: "hold", match: { value: 1 }, times: 1 },
    ],
    [
      "faults.add",
      (api) => api.faults.add({ on: "webhook", effect: "duplicate", probability: 0.5 }),
      "POST /_sandbox/faults",
      { on: "webhook", effect: "duplicate", probability: 0.5 },
    ],
    ["faults.list", (api) => api.faults.list(), "GET /_sandbox/faults?limit=1000"],
    ["faults.release", (api) => api.faults.release("f"), "POST /_sandbox/faults/f/release"],
    ["faults.remove", (api) => api.faults.remove("f"), "DELETE /_sandbox/faults/f"],
    ["faults.clear", (api) => api.faults.clear(), "DELETE /_sandbox/faults"],
    ["settled", (api) => api.settled(), "POST /_sandbox/settle"],
    ["reset", (api) => api.reset(), "POST /_sandbox/reset"],
    ["snapshot", (api) => api.snapshot("a b"), "PUT /_sandbox/snapshots/a%20b"],
    ["restore", (api) => api.restore("a"), "POST /_sandbox/snapshots/a/restore"],
    ["snapshots.list", (api) => api.snapshots.list(), "GET /_sandbox/snapshots"],
    ["snapshots.delete", (api) => api.snapshots.delete("a"), "DELETE /_sandbox/snapshots/a"],
  ])("calls one route: %s", async (_name, call, route, body) => {
    const { api, calls } = recorded();
    await call(api);
    expect(calls).toEqual([
      body === undefined
        ? { route, headers: ALL }
        : { route, headers: SENT, body: JSON.stringify(body) },
    ]);
  });

  it("creates a payin through the gateway with sample values, then reads it", async () => {
    const { api, calls } = recorded({
      "POST /v1/payins": { id: "p1", qr_code_base64: "iVBO" },
      "GET /_sandbox/payins/p1": { id: "p1", pix_id: "x" },
    });
    expect(await api.payins.create({ value: 25, generateQrcode: true })).toEqual({
      id: "p1",
      pixId: "x",
      qrCodeBase64: "iVBO",
    });
    expect(calls).toEqual([
      {
        route: "POST /v1/payins",
        headers: GATEWAY,
        body: JSON.stringify({
          value: 25,
          buyer_cpf: "12345678909",
          buyer_name: "Maria da Silva",
          buyer_email: "maria@example.com",
          webhook_url: "http://sandbox.test/_sandbox/sink/sample",
          generate_qrcode: true,
        }),
      },
      { route: "GET /_sandbox/payins/p1", headers: ALL },
    ]);
  });

  it("creates a payout whose Pix key is the receiver's CPF, unless one is given", async () => {
    const { api, calls } = recorded();
    await api.payouts.create({ receiverCpf: "11144477735" }, { idempotencyKey: "order-1" });
    await api.payouts.create({ receiverCpf: "11144477735", pixKey: "k", webhookUrl: "http://w" });
    await api.payouts.create();
    const sent = calls.filter(({ route }) => route === "POST /v1/payouts");
    expect(sent[0]?.headers).toEqual({ ...GATEWAY, "x-idempotency-key": "order-1" });
    expect(sent.map(({ body }) => JSON.parse(String(body)) as object)).toEqual([
      {
        value: 10.5,
        receiver_cpf: "11144477735",
        receiver_name: "Maria da Silva",
        receiver_email: "maria@example.com",
        pix_key: "11144477735",
        pix_key_type: "cpf",
        webhook_url: "http://sandbox.test/_sandbox/sink/sample",
      },
      expect.objectContaining({ pix_key: "k", webhook_url: "http://w" }),
      expect.objectContaining({ receiver_cpf: "12345678909", pix_key: "12345678909" }),
    ]);
  });

  it("simulates as the record's integration, or as its own", async () => {
    const { api, calls, client } = recorded();
    await api.payins.simulate("p1");
    const own = viewIntegration(client, "shop", new Receivers());
    expect(own.token).toBe("shop");
    await own.payouts.simulate("p2", "canceled");
    expect(calls.map(({ route, headers, body }) => [route, headers["x-api-token"], body])).toEqual([
      ["GET /_sandbox/payins/p1", undefined, undefined],
      ["POST /v1/payins/simulations", "kiosk", '{"transaction_id":"p1","status":"completed"}'],
      ["GET /_sandbox/payins/p1", undefined, undefined],
      ["POST /v1/payouts/simulations", "shop", '{"transaction_id":"p2","status":"canceled"}'],
      ["GET /_sandbox/payouts/p2", "shop", undefined],
    ]);
  });

  it("reads and sets the webhook configuration with the API's names", async () => {
    const { api, calls } = recorded({
      "GET /v1/webhooks": { webhook_url: "http://w", events: [] },
      "PUT /v1/webhooks": { webhook_url: "http://w", events: ["payment.failed"] },
    });
    expect(await api.webhooks.configuration()).toEqual({ webhookUrl: "http://w", events: [] });
    expect(
      await api.webhooks.configure({ webhookUrl: "http://w", events: ["payment.failed"] }),
    ).toEqual({ webhookUrl: "http://w", events: ["payment.failed"] });
    expect(calls[1]?.body).toBe('{"webhook_url":"http://w","events":["payment.failed"]}');
    expect(calls[0]?.headers).toEqual({
      "x-api-token": "sandbox",
      "x-idempotency-key": "new",
      "x-sandbox-client": "pix-sandbox",
    });
  });

  it("reads every page of a list, with its filter", async () => {
    const { api, calls } = recorded({
      "GET /_sandbox/payins?status=paid&limit=1000": { data: [{ pix_id: "a" }], next: "n1" },
      "GET /_sandbox/payins?status=paid&limit=1000&after=n1": {
        data: [{ pix_id: "b" }],
        next: null,
      },
    });
    expect(await api.payins.list({ status: "paid" })).toEqual([{ pixId: "a" }, { pixId: "b" }]);
    expect(calls).toHaveLength(2);
  });

  it("lists the faults that were used", async () => {
    const { api } = recorded({
      "GET /_sandbox/faults?limit=1000": { data: [{ used: 0 }, { used: 1 }], next: null },
    });
    expect(await api.faults.used()).toEqual([{ used: 1 }]);
  });

  it.each(["", ".", "..", 5, undefined])(
    "refuses the id %j, which changes the path",
    async (id) => {
      const { api, calls } = recorded();
      await expect(api.snapshots.delete(id as string)).rejects.toThrow(
        `An id or a name is a text that is not empty, not ${JSON.stringify(id)}.`,
      );
      expect(calls).toEqual([]);
    },
  );

  it.each([
    [{ days: 1, hours: 1, minutes: 1, seconds: 1, milliseconds: 500 }, 90_061.5],
    [{ minutes: undefined, seconds: 2 }, 2],
    [{}, 0],
    ["1500ms", 1.5],
    ["2h", 7200],
  ])("advances the clock by %j", async (by, seconds) => {
    const { client, calls } = recorded();
    await clockMoves(client).advance(by);
    expect(calls).toEqual([
      { route: "POST /_sandbox/clock/advance", headers: SENT, body: JSON.stringify({ seconds }) },
    ]);
  });

  it("sets, freezes and resumes the clock", async () => {
    const { client, calls } = recorded();
    const moves = clockMoves(client);
    await moves.set(new Date("2026-01-01T00:00:00Z"));
    await moves.set("2026-01-02");
    await moves.freeze();
    await moves.resume();
    expect(calls.map(({ route, body }) => [route, body])).toEqual([
      ["POST /_sandbox/clock/set", '{"now":"2026-01-01T00:00:00.000Z"}'],
      ["POST /_sandbox/clock/set", '{"now":"2026-01-02"}'],
      ["POST /_sandbox/clock/freeze", undefined],
      ["POST /_sandbox/clock/resume", undefined],
    ]);
  });
});

describe("a call on the wire", () => {
  it("leaves out what is undefined, and sends any other value as it is", () => {
    expect(toQuery({})).toBe("");
    expect(toQuery({ a: undefined })).toBe("");
    expect(toQuery({ a: "x y", b: 5, c: null, d: undefined, e: ["f"] })).toBe(
      "?a=x+y&b=5&c=null&e=%5B%22f%22%5D",
    );
  });

  it("carries the control token to control routes only, and its own headers to all", async () => {
    const sent: Call["headers"][] = [];
    const { signal } = new AbortController();
    const client = new Calls({
      url: "",
      send(_path, call) {
        sent.push(call.headers);
        expect(call.signal).toBe(signal);
        return answering({})();
      },
      identify: () => ({}),
      controlToken: "secret",
      headers: { a: "b" },
    });
    await client.call("GET /clock", {}, { signal });
    await client.call("GET /v1/webhooks", {}, { signal });
    expect(sent).toEqual([
      { a: "b", authorization: "Bearer secret" },
      { a: "b", "x-sandbox-client": "pix-sandbox" },
    ]);
  });

  it("that is refused has the messages of its fields, or its own", async () => {
    const refusal = {
      message: "Check these fields: value.",
      code: "VALIDATION_ERROR",
      errors: [
        { message: "value must be more than 0.", code: "INVALID_VALUE", field: "value" },
        { message: "Check these fields: value.", code: "INVALID_VALUE", field: "value" },
        { message: "buyer_cpf is missing.", code: "REQUIRED_VALUE", field: "buyer_cpf" },
      ],
    };
    const error = await failure(400, refusal);
    expect(error).toBeInstanceOf(SandboxError);
    expect(error).toMatchObject({
      name: "SandboxError",
      message: "value must be more than 0. buyer_cpf is missing.",
      status: 400,
      code: "VALIDATION_ERROR",
      errors: refusal.errors,
      answer: refusal,
    });
    expect(await failure(404, { ...refusal, errors: [] })).toMatchObject({
      message: "Check these fields: value.",
      url: "http://sandbox.test/_sandbox/clock",
    });
  });

  it.each([
    undefined,
    null,
    "text",
    {},
    { message: "m", code: "c" },
    { message: "m", errors: [] },
    { code: "c", errors: [] },
    { message: 1, code: "c", errors: [] },
    { message: "m", code: 1, errors: [] },
  ])("that gets %j was not answered by a sandbox", async (value) => {
    const error = await failure(502, value);
    expect(error).toBeInstanceOf(UnexpectedReplyError);
    expect(error).toMatchObject({
      name: "UnexpectedReplyError",
      message: "The server is not pix-sandbox (status 502).",
      status: 502,
      body: value,
    });
  });

  it.each([199, 300, 400])("with the status %i is refused, whatever its body", async (status) => {
    expect(await failure(status, {})).toMatchObject({ status });
  });

  it("gives the error of its body, unless the body is no JSON", async () => {
    const failing = (error: Error) => failureOf({ status: 200, json: () => Promise.reject(error) });
    expect(await failing(new SyntaxError("no JSON"))).toBeInstanceOf(UnexpectedReplyError);
    expect(await failing(new TypeError("gone"))).toMatchObject({ message: "gone" });
  });

  it.each([undefined, {}, { data: {} }])("that lists %j lists nothing", async (page) => {
    const client = clientOf(answering(page));
    await expect(client.list("GET /payins")).rejects.toBeInstanceOf(UnexpectedReplyError);
  });
});

function clientOf(send: () => Promise<Reply>): Calls {
  return new Calls({ url: "http://sandbox.test", send, identify: () => ({}) });
}

function answering(value: unknown, status = 200): () => Promise<Reply> {
  return () => Promise.resolve({ status, body: null, json: () => Promise.resolve(value) });
}

const failure = (status: number, value: unknown) =>
  failureOf({ status, json: () => Promise.resolve(value) });

function failureOf(reply: Omit<Reply, "body">): Promise<unknown> {
  const client = clientOf(() => Promise.resolve({ ...reply, body: null }));
  return client.call("GET /clock").catch((error: unknown) => error);
}

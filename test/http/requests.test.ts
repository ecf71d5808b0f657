import { once } from "node:events";
import http from "node:http";
import { describe, expect, it } from "vitest";
import type { WireRequest } from "../../src/core/state/wire.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import { callsTo } from "../support/calls.ts";

const CHARGE = { webhook_url: "http://127.0.0.1:9/hook" };

interface RequestPage {
  readonly data: readonly WireRequest[];
  readonly next: string | null;
}

describe("GET /_sandbox/requests", () => {
  it("shows the gateway's requests and responses, the newest last", async () => {
    await using sandbox = await start();
    const calls = callsTo(sandbox.url, "secret-token");
    const { body } = await calls.createPayin(CHARGE);
    await calls.createPayin({ ...CHARGE, value: -1 });
    const { data, next } = await requestsOf(sandbox);

    expect(next).toBeNull();
    expect(
      data.map(({ id, method, path, status, lost }) => [id, method, path, status, lost]),
    ).toEqual([
      ["req_1", "POST", "/v1/payins", 200, false],
      ["req_2", "POST", "/v1/payins", 400, false],
    ]);
    const [created, refused] = data;
    expect(JSON.parse(created?.body ?? "")).toMatchObject({ buyer_cpf: expect.any(String) });
    expect(JSON.parse(created?.response ?? "")).toEqual(body);
    expect(JSON.parse(refused?.response ?? "")).toMatchObject({ code: "VALIDATION_ERROR" });
    expect(created?.headers).toMatchObject({ "content-type": "application/json" });
    expect(created?.response_headers).toMatchObject({ "content-type": "application/json" });
    expect(created?.at).toBe("2026-11-21T12:00:00.000Z");
  });

  it("shows what came of each request", async () => {
    await using sandbox = await start();
    const calls = callsTo(sandbox.url);
    const { id } = (await calls.createPayin(CHARGE, "one")).body;
    await calls.createPayin(CHARGE, "one");
    await calls.simulate("payin", id);
    await calls.createPayin({ ...CHARGE, value: null });
    const { id: faultId } = await calls.control<{ id: string }>("POST", "/faults", {
      on: "payins.create",
      effect: "error=EXTERNAL_ERROR",
    });
    await calls.createPayin(CHARGE);

    const { data } = await requestsOf(sandbox);
    const none = { code: null, message: null, errors: [], is_repeat: false, fault: null };
    const error = { field: "value", code: "EMPTY_VALUE", message: "value is empty." };
    const message = "Check these fields: value.";
    const refusal = { ...none, transaction_id: null };
    expect(data).toMatchObject([
      { ...none, transaction_id: id },
      { ...none, transaction_id: id, is_repeat: true },
      { ...none, transaction_id: id },
      { ...refusal, code: "VALIDATION_ERROR", message, errors: [error] },
      {
        ...refusal,
        code: "EXTERNAL_ERROR",
        message: expect.stringContaining("A fault of the sandbox refuses this call."),
        fault: { id: faultId, effect: "error=EXTERNAL_ERROR" },
      },
    ]);
  });

  it("shows the headers that an answer was given last", async () => {
    await using sandbox = await start({ explain: true });
    const { headers } = await callsTo(sandbox.url).createPayin(CHARGE);
    const { data } = await requestsOf(sandbox);
    expect(headers.get("x-sandbox-assumption")).toContain("value.unit=reais");
    expect(data[0]?.response_headers["x-sandbox-assumption"]).toBe(
      headers.get("x-sandbox-assumption"),
    );
  });

  it("names the integration, and not its token among the headers", async () => {
    await using sandbox = await start();
    await callsTo(sandbox.url, "secret-token").createPayin(CHARGE);
    await fetch(`${sandbox.url}/v1/webhooks`);
    const { data } = await requestsOf(sandbox);
    expect(data[0]?.headers["x-api-token"]).toBe("[redacted]");
    expect(data.map(({ integration }) => integration)).toEqual(["secret-token", null]);
    const others = data.map((request) => ({ ...request, integration: null }));
    expect(JSON.stringify(others)).not.toContain("secret-token");
  });

  it("redacts what else is a secret, however it is written", async () => {
    await using sandbox = await start();
    const headers = {
      Authorization: "Bearer s3cret",
      "Proxy-Authorization": "s3cret",
      COOKIE: "sid=s3cret",
    };
    await once(http.get(`${sandbox.url}/v1/nothing`, { headers }), "response");
    const { data } = await requestsOf(sandbox);
    expect(data[0]?.headers).toMatchObject({
      authorization: "[redacted]",
      "proxy-authorization": "[redacted]",
      cookie: "[redacted]",
    });
    expect(JSON.stringify(data)).not.toContain("s3cret");
  });

  it.each([
    ["UTF-8", "utf8"],
    ["Latin-1", "latin1"],
  ] as const)("shows a header that was sent in %s", async (_, encoding) => {
    await using sandbox = await start();
    // Node sends each character of a header as one byte.
    const sent = Buffer.from("Loja do João", encoding).toString("latin1");
    await once(
      http.get(`${sandbox.url}/v1/nothing`, { headers: { "x-provider": sent } }),
      "response",
    );
    const { data } = await requestsOf(sandbox);
    expect(data[0]?.headers["x-provider"]).toBe("Loja do João");
  });

  it("shows requests that were refused unread, and unknown paths", async () => {
    await using sandbox = await start();
    await fetch(`${sandbox.url}/v1/payins`, { method: "POST", body: "text" });
    await fetch(`${sandbox.url}/v1/nothing?at=all`);
    await fetch(`${sandbox.url}/_sandbox/health`);
    const { data } = await requestsOf(sandbox);
    expect(data.map(({ path, status, body }) => [path, status, body])).toEqual([
      ["/v1/payins", 415, null],
      ["/v1/nothing?at=all", 404, null],
    ]);
  });

  it("shows an integration only its own", async () => {
    await using sandbox = await start();
    await callsTo(sandbox.url, "one").createPayin(CHARGE);
    await callsTo(sandbox.url, "other").createPayin(CHARGE);
    expect((await requestsOf(sandbox, "", "other")).data.map(({ id }) => id)).toEqual(["req_2"]);
    expect((await requestsOf(sandbox, "", "third")).data).toEqual([]);
  });

  it("stores the given number, and comes in pages", async () => {
    await using sandbox = await start({ keepRequests: 3 });
    const calls = callsTo(sandbox.url);
    for (let count = 0; count < 10; count++) await calls.createPayin(CHARGE);
    const first = await requestsOf(sandbox, "?limit=2");
    expect([first.data.map(({ id }) => id), first.next]).toEqual([["req_8", "req_9"], "req_9"]);
    const second = await requestsOf(sandbox, `?limit=2&after=${first.next}`);
    expect([second.data.map(({ id }) => id), second.next]).toEqual([["req_10"], null]);
    expect(await requestsOf(sandbox, "?after=req_1")).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("stores none if set to 0", async () => {
    await using sandbox = await start({ keepRequests: 0 });
    await callsTo(sandbox.url).createPayin(CHARGE);
    expect((await requestsOf(sandbox)).data).toEqual([]);
  });

  it("is emptied by a reset, of one integration or of all", async () => {
    await using sandbox = await start();
    for (const token of ["one", "other"]) await callsTo(sandbox.url, token).createPayin(CHARGE);
    const headers = { "x-api-token": "one" };
    await fetch(`${sandbox.url}/_sandbox/reset`, { method: "POST", headers });
    expect((await requestsOf(sandbox)).data.map(({ id }) => id)).toEqual(["req_2"]);
    await fetch(`${sandbox.url}/_sandbox/reset`, { method: "POST" });
    expect((await requestsOf(sandbox)).data).toEqual([]);
  });

  it("marks a response whose client had disconnected", async () => {
    await using sandbox = await start();
    const calls = callsTo(sandbox.url);
    const fault = { on: "payins.create", effect: "lost_answer", times: 1 };
    await calls.control("POST", "/faults", fault);
    await expect(calls.createPayin(CHARGE)).rejects.toThrow("fetch failed");
    const { data } = await requestsOf(sandbox);
    expect(data).toMatchObject([{ path: "/v1/payins", status: 200, lost: true }]);
  });

  it("cuts a body that is long", async () => {
    await using sandbox = await start();
    await callsTo(sandbox.url).createPayin({ ...CHARGE, padding: "x".repeat(20_000) });
    const [request] = (await requestsOf(sandbox)).data;
    expect(request?.body).toMatch(/^\{.*x…$/s);
    expect(request?.body).toHaveLength(16_385);
  });
});

function start(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ clock: "frozen", now: new Date("2026-11-21T12:00:00.000Z"), ...options });
}

async function requestsOf(sandbox: Sandbox, query = "", token?: string): Promise<RequestPage> {
  const headers = token === undefined ? undefined : { "x-api-token": token };
  const answer = await fetch(`${sandbox.url}/_sandbox/requests${query}`, headers && { headers });
  return (await answer.json()) as RequestPage;
}

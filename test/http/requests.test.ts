import { once } from "node:events";
import http from "node:http";
import { describe, expect, it } from "vitest";
import type { WireRequest } from "../../src/core/state/wire.ts";
import { type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import { callsTo } from "../support/calls.ts";
import { call } from "../support/gateway.ts";

const CHARGE = { webhook_url: "http://127.0.0.1:9/hook" };
const NOW = "2026-11-21T12:00:00.000Z";

/** A sandbox, its calls and what it has logged. */
async function start(options: SandboxOptions = {}) {
  const sandbox = await startSandbox({ clock: "frozen", now: new Date(NOW), ...options });
  const list = async (query = "", token?: string) => {
    const request = { method: "GET", path: `/_sandbox/requests${query}` };
    const { json } = await call(sandbox, { ...request, headers: { "x-api-token": token } });
    return json as { readonly data: readonly WireRequest[]; readonly next: string | null };
  };
  return {
    sandbox,
    calls: callsTo(sandbox.url),
    list,
    logged: async (token?: string) => (await list("", token)).data,
    ids: async (token?: string) => (await list("", token)).data.map(({ id }) => id),
    /** Sends headers as they are, each character as one byte. */
    send: (headers: Record<string, string>) =>
      once(http.get(`${sandbox.url}/v1/nothing`, { headers }), "response"),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

describe("GET /_sandbox/requests", () => {
  it("shows the gateway's requests and responses, the newest last", async () => {
    await using world = await start();
    const { calls, list } = world;
    const { body } = await calls.createPayin(CHARGE);
    await calls.createPayin({ ...CHARGE, value: -1 });
    const { data, next } = await list();
    expect(next).toBeNull();
    const json = { "content-type": "application/json" };
    const [created, refused] = data;
    expect(data).toMatchObject([
      {
        id: "req_1",
        at: NOW,
        method: "POST",
        path: "/v1/payins",
        status: 200,
        lost: false,
        headers: json,
        response_headers: json,
      },
      { id: "req_2", method: "POST", path: "/v1/payins", status: 400, lost: false },
    ]);
    expect(JSON.parse(created?.body ?? "")).toMatchObject({ buyer_cpf: expect.any(String) });
    expect(JSON.parse(created?.response ?? "")).toEqual(body);
    expect(JSON.parse(refused?.response ?? "")).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("shows what came of each request", async () => {
    await using world = await start();
    const { calls, logged } = world;
    const { id } = (await calls.createPayin(CHARGE, "one")).body;
    await calls.createPayin(CHARGE, "one");
    await calls.simulate("payin", id);
    await calls.createPayin({ ...CHARGE, value: null });
    const effect = "error=EXTERNAL_ERROR";
    const fault = { on: "payins.create", effect };
    const { id: faultId } = await calls.control<{ id: string }>("POST", "/faults", fault);
    await calls.createPayin(CHARGE);

    const none = { code: null, message: null, errors: [], is_repeat: false, fault: null };
    const error = { field: "value", code: "EMPTY_VALUE", message: "value is empty." };
    const refusal = { ...none, transaction_id: null };
    expect(await logged()).toMatchObject([
      { ...none, transaction_id: id },
      { ...none, transaction_id: id, is_repeat: true },
      { ...none, transaction_id: id },
      {
        ...refusal,
        code: "VALIDATION_ERROR",
        message: "Check these fields: value.",
        errors: [error],
      },
      {
        ...refusal,
        code: "EXTERNAL_ERROR",
        message: expect.stringContaining("A fault of the sandbox refuses this call."),
        fault: { id: faultId, effect },
      },
    ]);
  });

  it("shows the headers that an answer was given last", async () => {
    await using world = await start({ explain: true });
    const { headers } = await world.calls.createPayin(CHARGE);
    const name = "x-sandbox-assumption";
    expect(headers.get(name)).toContain("value.unit=reais");
    const response_headers = { [name]: headers.get(name) };
    expect(await world.logged()).toMatchObject([{ response_headers }]);
  });

  it("names the integration, and shows no secret header, however it is written", async () => {
    await using world = await start();
    await callsTo(world.sandbox.url, "s3cret").createPayin(CHARGE);
    const secret = ["Authorization", "Proxy-Authorization", "COOKIE"];
    await world.send(Object.fromEntries(secret.map((name) => [name, "Bearer s3cret"])));
    const data = await world.logged();
    expect(data.map(({ integration }) => integration)).toEqual(["s3cret", null]);
    expect(data[0]?.headers["x-api-token"]).toBe("[redacted]");
    for (const name of secret) expect(data[1]?.headers[name.toLowerCase()]).toBe("[redacted]");
    const others = data.map((request) => ({ ...request, integration: null }));
    expect(JSON.stringify(others)).not.toContain("s3cret");
  });

  it.each(["utf8", "latin1"] as const)("shows a header that was sent in %s", async (encoding) => {
    await using world = await start();
    await world.send({ "x-provider": Buffer.from("Loja do João", encoding).toString("latin1") });
    expect(await world.logged()).toMatchObject([{ headers: { "x-provider": "Loja do João" } }]);
  });

  it("shows requests that were refused unread, and unknown paths", async () => {
    await using world = await start();
    await world.sandbox.fetch("/v1/payins", { method: "POST", body: "text" });
    await world.sandbox.fetch("/v1/nothing?at=all");
    await world.sandbox.fetch("/_sandbox/health");
    const shown = (await world.logged()).map(({ path, status, body }) => [path, status, body]);
    expect(shown).toEqual([
      ["/v1/payins", 415, null],
      ["/v1/nothing?at=all", 404, null],
    ]);
  });

  it("stores the given number, and comes in pages", async () => {
    await using world = await start({ keepRequests: 3 });
    for (let count = 0; count < 10; count++) await world.calls.createPayin(CHARGE);
    const first = await world.list("?limit=2");
    expect(first).toMatchObject({ data: [{ id: "req_8" }, { id: "req_9" }], next: "req_9" });
    const second = await world.list(`?limit=2&after=${first.next}`);
    expect(second).toMatchObject({ data: [{ id: "req_10" }], next: null });
    expect(await world.list("?after=req_1")).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("stores none if set to 0", async () => {
    await using world = await start({ keepRequests: 0 });
    await world.calls.createPayin(CHARGE);
    expect(await world.logged()).toEqual([]);
  });

  it("is an integration's own, each request too, and is emptied by a reset of one or of all", async () => {
    await using world = await start();
    const { sandbox, list, ids } = world;
    for (const token of ["one", "other"]) await callsTo(sandbox.url, token).createPayin(CHARGE);
    expect([await ids("other"), await ids("third")]).toEqual([["req_2"], []]);
    expect(await list("/req_2", "other")).toEqual((await list()).data[1]);
    expect(await list("/req_2", "one")).toMatchObject({ code: "NOT_PROCESSABLE" });
    const reset = { method: "POST", headers: { "x-api-token": "one" } };
    await sandbox.fetch("/_sandbox/reset", reset);
    expect(await ids()).toEqual(["req_2"]);
    await sandbox.fetch("/_sandbox/reset", { method: "POST" });
    expect(await ids()).toEqual([]);
  });

  it("cuts a body that is long", async () => {
    await using world = await start();
    await world.calls.createPayin({ ...CHARGE, padding: "x".repeat(20_000) });
    const [request] = await world.logged();
    expect(request?.body).toMatch(/^\{.*x…$/s);
    expect(request?.body).toHaveLength(16_385);
  });
});

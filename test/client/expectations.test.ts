import { afterEach, afterAll, beforeAll, describe, expect, it } from "vitest";
import { isReceived } from "../../src/client/received.ts";
import {
  createClient,
  type GatewayCall,
  type Integration,
  type Sandbox,
  SandboxError,
  startSandbox,
} from "../../src/index.ts";

const webhookUrl = "http://127.0.0.1:1/hook";
let sandbox: Sandbox;
let shop: Integration;
beforeAll(async () => {
  sandbox = await startSandbox();
  shop = sandbox.integration("shop");
});
afterEach(() => sandbox.reset());
afterAll(() => sandbox.close());

describe("expectNoUnusedFaults", () => {
  it("passes when every fault has acted as often as requested", async () => {
    await shop.expectNoUnusedFaults();
    await shop.faults.once("payins.create", "error=EXTERNAL_ERROR");
    await shop.faults.add({ on: "payouts.create", effect: "latency_ms=1" });
    await expect(shop.payins.create()).rejects.toBeInstanceOf(SandboxError);
    await shop.payouts.create();
    await shop.expectNoUnusedFaults();
  });

  it("names each fault that has not", async () => {
    const { id } = await shop.faults.add({
      on: "payins.create",
      effect: "error=EXTERNAL_ERROR",
      times: 2,
    });
    const other = await shop.faults.add({
      on: "webhook",
      effect: "duplicate",
      match: { value: 10.5 },
    });
    expect(await shop.faults.used()).toEqual([]);
    await expect(shop.payins.create()).rejects.toBeInstanceOf(SandboxError);
    expect(await shop.faults.used()).toMatchObject([{ id, used: 1, times: 1 }]);
    await expect(shop.expectNoUnusedFaults()).rejects.toThrow(
      `Faults are left that no call or webhook has used:
  ${id}: error=EXTERNAL_ERROR on payins.create, used 1 of 2 times
  ${other.id}: duplicate on webhook where {"value":10.5}, never used`,
    );
    await sandbox.integration("other").expectNoUnusedFaults();
    await expect(sandbox.expectNoUnusedFaults()).rejects.toThrow(id);
  });
});

describe("expectNoRefusedCalls", () => {
  it("names each refused call with its fields", async () => {
    await shop.payins.create();
    await shop.expectNoRefusedCalls();
    await expect(shop.payins.create({ value: -1 })).rejects.toBeInstanceOf(SandboxError);
    await sandbox.fetch("/v2/payins", { method: "POST", headers: shop.headers(), body: "{" });
    const failure = shop.expectNoRefusedCalls();
    await expect(failure).rejects.toThrow("The gateway refused 2 of 3 calls:\n");
    await expect(failure).rejects.toThrow(
      /^ {2}POST \/v1\/payins: 400 VALIDATION_ERROR value INVALID_VALUE\. \S.*$/m,
    );
    await expect(failure).rejects.toThrow(/^ {2}POST \/v2\/payins: 400 VALIDATION_ERROR\. \S.*$/m);
    await createClient({
      baseUrl: sandbox.url,
      headers: { "x-api-token": "other" },
    }).expectNoRefusedCalls();
  });
});

describe("requests.expectReceived", () => {
  it("resolves to the newest request that has the members", async () => {
    await shop.payins.create({ value: 10.5, description: "one", webhookUrl });
    await shop.payins.create({ value: 10.5, description: "other", webhookUrl });
    await shop.payins.create({ value: 25, webhookUrl });
    const { body } = await shop.requests.expectReceived("POST /v1/payins", {
      value: 10.5,
      buyer_name: expect.any(String),
    });
    expect(JSON.parse(body ?? "")).toMatchObject({ description: "other" });
    expect(await shop.requests.expectReceived("POST /v1/payins")).toMatchObject({ status: 200 });
  });

  it("waits for the request", async () => {
    const received = shop.requests.expectReceived("POST /v1/payouts");
    await shop.payouts.create();
    expect(await received).toMatchObject({ method: "POST", path: "/v1/payouts" });
  });

  it("compares objects by their members and arrays by their items", async () => {
    await shop.webhooks.configure({ webhookUrl, events: ["payment.received", "payment.failed"] });
    const isFound = async (body: Record<string, unknown>): Promise<boolean> =>
      (await isReceived(shop, "PUT /v1/webhooks", body, { isNot: true })).pass;
    expect(await isFound({ events: ["payment.received", "payment.failed"] })).toBe(true);
    expect(await isFound({ webhook_url: webhookUrl })).toBe(true);
    expect(await isFound({})).toBe(true);
    expect(await isFound({ events: ["payment.received"] })).toBe(false);
    expect(await isFound({ events: { 0: "payment.received" } })).toBe(false);
    expect(await isFound({ events: null })).toBe(false);
    expect(await isFound({ webhook_url: { href: webhookUrl } })).toBe(false);
    expect(await isFound({ toString: undefined })).toBe(false);
  });

  it("ignores a query unless one is given", async () => {
    await sandbox.fetch("/v1/webhooks?at=now", { headers: shop.headers() });
    await shop.requests.expectReceived("GET /v1/webhooks");
    await shop.requests.expectReceived("GET /v1/webhooks?at=now");
    const other = shop.requests.expectReceived("GET /v1/webhooks?at=x", undefined, {
      timeoutMs: 1,
    });
    await expect(other).rejects.toThrow("GET /v1/webhooks?at=now (status 404)");
  });

  it.each(["payins", "POST /v1/pay ins", "post /v1/payins", "", null, undefined])(
    "refuses the call %j",
    async (call) => {
      const invalid = call as GatewayCall;
      await expect(shop.requests.expectReceived(invalid)).rejects.toThrow(TypeError);
      for (const isNot of [true, false])
        await expect(isReceived(shop, invalid, undefined, { isNot })).rejects.toThrow(
          'A call is a method and a path such as "POST /v1/payins", not',
        );
    },
  );
});

describe("toHaveReceived", () => {
  it("reports what was received", async () => {
    const has = (isNot: boolean) =>
      isReceived(shop, "POST /v1/payins", { value: 10.5 }, { isNot, timeoutMs: 1 });
    expect((await has(true)).pass).toBe(false);
    expect((await has(false)).pass).toBe(false);
    await shop.payins.create();
    const [not, yes] = [await has(true), await has(false)];
    expect([not.pass, yes.pass]).toEqual([true, true]);
    expect(not.message()).toMatch(/^Expected no POST \/v1\/payins with .*; received POST/);
  });

  it.each([undefined, null, 5, {}, { requests: {} }])("refuses %j", async (received) => {
    await expect(
      isReceived(received, "POST /v1/payins", undefined, { isNot: false }),
    ).rejects.toThrow("toHaveReceived takes an integration or a sandbox.");
  });
});

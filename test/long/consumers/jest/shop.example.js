import { afterEach, beforeEach, expect, test } from "@jest/globals";
import {
  connectedSandbox,
  freshIntegration,
  SandboxError,
  WaitTimeoutError,
} from "pix-sandbox/jest";
import { Shop } from "./shop.js";

let integration;
let shop;

beforeEach(async () => {
  const { baseUrl } = await connectedSandbox();
  integration = await freshIntegration();
  shop = new Shop(baseUrl, integration.headers);
  await shop.open();
});

afterEach(() => shop?.close());

test("hears that a charge is paid", async () => {
  const id = await shop.sell(10.5);
  await expect(integration).toHaveReceived("POST /v1/payins", { value: 10.5 });
  await expect(integration).not.toHaveReceived("POST /v1/payouts");
  const none = expect(integration).toHaveReceived("POST /v1/payouts", {}, { timeoutMs: 10 });
  await expect(none).rejects.toThrow("The gateway received no POST /v1/payouts with {}");
  await expect(id).not.toHaveBeenDelivered();
  await integration.payins.pay(id);
  await expect(id).toHaveBeenDelivered("payin.paid");
  expect([...shop.paid]).toEqual([id]);
});

test("has nothing of the tests before it", async () => {
  expect(await integration.payins.list()).toEqual([]);
  expect(shop.paid.size).toBe(0);
});

test("says so where the gateway is down", async () => {
  await integration.faults.once("payins.create", "error=EXTERNAL_ERROR");
  await expect(shop.sell(10.5)).rejects.toThrow("502");
  const id = await shop.sell(10.5);
  const [payin] = await integration.payins.list();
  expect(payin).toMatchObject({ id, value: 10.5 });
});

test("is told what there was where a webhook does not come", async () => {
  const id = await shop.sell(10.5);
  const wait = expect(id).toHaveBeenDelivered("payin.paid", { timeoutMs: 10 });
  await expect(wait).rejects.toThrow(`Payin ${id} is waiting`);
});

test("is told which webhook there was where none is to be", async () => {
  const payin = await integration.payins.get(await shop.sell(10.5));
  await integration.payins.pay(payin.id);
  await expect(payin).toHaveBeenDelivered();
  const none = expect(payin).not.toHaveBeenDelivered();
  await expect(none).rejects.toThrow(`Expected no webhook of ${payin.id}; evt_`);
});

test("knows what the sandbox refuses by its class", async () => {
  const id = await shop.sell(10.5);
  await integration.payins.cancel(id);
  await expect(integration.payins.pay(id)).rejects.toBeInstanceOf(SandboxError);
  const wait = integration.webhooks.waitFor({ transactionId: id, timeoutMs: 10 });
  await expect(wait).rejects.toBeInstanceOf(WaitTimeoutError);
});

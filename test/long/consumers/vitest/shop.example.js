import { test } from "pix-sandbox/vitest";
import { expect } from "vitest";
import { Shop } from "./shop.js";

const shopTest = test.extend({
  shop: async ({ integration }, use) => {
    const shop = new Shop(process.env.PIX_SANDBOX_BASE_URL, integration.headers);
    await shop.open();
    await use(shop);
    await shop.close();
  },
});

shopTest("hears that a charge is paid", async ({ shop, integration }) => {
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

shopTest("has nothing of the tests before it", async ({ integration, shop }) => {
  expect(await integration.payins.list()).toEqual([]);
  expect(shop.paid.size).toBe(0);
});

shopTest("says so where the gateway is down", async ({ shop, integration }) => {
  await integration.faults.once("payins.create", "error=EXTERNAL_ERROR");
  await expect(shop.sell(10.5)).rejects.toThrow("502");
  const id = await shop.sell(10.5);
  const [payin] = await integration.payins.list();
  expect(payin).toMatchObject({ id, value: 10.5 });
});

shopTest("is told what there was where a webhook does not come", async ({ shop }) => {
  const id = await shop.sell(10.5);
  const wait = expect(id).toHaveBeenDelivered("payin.paid", { timeoutMs: 10 });
  await expect(wait).rejects.toThrow(`Payin ${id} is waiting`);
});

shopTest("is told which webhook there was where none is to be", async ({ shop, integration }) => {
  const payin = await integration.payins.get(await shop.sell(10.5));
  await integration.payins.pay(payin.id);
  await expect(payin).toHaveBeenDelivered();
  const none = expect(payin).not.toHaveBeenDelivered();
  await expect(none).rejects.toThrow(`Expected no webhook of ${payin.id}; evt_`);
});

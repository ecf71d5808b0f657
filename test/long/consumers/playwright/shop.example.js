import { expect, test as base } from "pix-sandbox/playwright";
import { Shop } from "./shop.js";

const test = base.extend({
  shop: async ({ integration }, use) => {
    const shop = new Shop(process.env.PIX_SANDBOX_BASE_URL, integration.headers);
    await shop.open();
    await use(shop);
    await shop.close();
  },
});
test.describe.configure({ mode: "parallel" });

for (const value of [10.5, 20, 30.25]) {
  test(`a charge of ${value} is paid`, async ({ shop, integration }) => {
    expect(await integration.payins.list()).toEqual([]);
    const id = await shop.sell(value);
    await expect(integration).toHaveReceived("POST /v1/payins", { value });
    await expect(integration).not.toHaveReceived("POST /v1/payouts");
    await expect(id).not.toHaveBeenDelivered();
    await integration.payins.pay(id);
    await expect(id).toHaveBeenDelivered("payin.paid");
    expect([...shop.paid]).toEqual([id]);
    expect(await integration.payins.list()).toMatchObject([{ id, value, status: "paid" }]);
  });
}

test("no id repeats after a reset", async ({ shop, integration }) => {
  const first = await shop.sell(10.5);
  await integration.reset();
  expect(await shop.sell(10.5)).not.toBe(first);
});

test("what does not come is explained", async ({ shop }) => {
  const id = await shop.sell(10.5);
  const wait = expect(id).toHaveBeenDelivered("payin.paid", { timeoutMs: 10 });
  await expect(wait).rejects.toThrow(`Payin ${id} is waiting`);
});

/**
 * A suite of 200 tests of a shop, as `exec` runs it: each begins with a reset, and sells, pays out and waits for
 * webhooks. TESTS sets another count.
 */
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";
import { createClient } from "pix-sandbox";

const TESTS = Number(process.env["TESTS"] ?? 200);

const sandbox = createClient({ baseUrl: process.env["PIX_SANDBOX_BASE_URL"] });
const handler = http.createServer((request, response) => {
  request.resume();
  response.end();
});
let webhookUrl = "";

before(async () => {
  await new Promise((resolve) => handler.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = handler.address();
  webhookUrl = `http://127.0.0.1:${address.port}/webhooks/pix`;
});
after(() => handler.close().closeAllConnections());

for (let number = 1; number <= TESTS; number++)
  void test(`an order of customer ${number} is paid`, async () => {
    const shop = sandbox.integration("suite");
    await shop.reset();
    const buyer = { buyerName: `Cliente ${number} da Silva`, buyerEmail: `c${number}@example.com` };
    const payin = await shop.payins.create({ value: 10.5, webhookUrl, ...buyer });
    await shop.payins.create({ value: 20, webhookUrl, description: `Order ${number}`, ...buyer });
    await shop.payins.pay(payin.id);
    await shop.webhooks.waitFor({ type: "payin.paid", transactionId: payin.id });
    const payout = await shop.payouts.create({ value: 5, webhookUrl });
    await shop.payouts.complete(payout.id);
    await assert.rejects(shop.payins.create({ value: -1, webhookUrl }));
    await shop.settled();
    assert.equal((await shop.payins.get(payin.id)).status, "paid");
  });

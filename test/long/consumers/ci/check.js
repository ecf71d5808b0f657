import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Shop } from "./shop.js";

const { PIX_SANDBOX_URL, PIX_SANDBOX_BASE_URL, PIX_SANDBOX_TOKEN } = process.env;
console.log(`The shop sells at ${PIX_SANDBOX_URL}.`);

const shop = new Shop(PIX_SANDBOX_BASE_URL, () => ({
  "content-type": "application/json",
  "x-api-token": PIX_SANDBOX_TOKEN,
  "x-provider-id": "1",
  "x-provider": "Shop",
  "x-country-code": "BR",
  "x-idempotency-key": randomUUID(),
}));
await shop.open();
try {
  const id = await shop.sell(10.5);
  await fetch(`${PIX_SANDBOX_URL}/_sandbox/payins/${id}/pay`, { method: "POST" });
  const query = `type=payin.paid&transaction_id=${id}&timeout_ms=60000`;
  await fetch(`${PIX_SANDBOX_URL}/_sandbox/wait?${query}`);
  assert.ok(shop.paid.has(id));
} finally {
  await shop.close();
}

import { createClient, startSandbox } from "pix-sandbox";
import { test as shopTest } from "pix-sandbox/vitest";
import { expect, test } from "vitest";
import { Shop } from "./shop.js";

test("has a document", () => {
  expect(document.createElement("a").tagName).toBe("A");
});

test("a sandbox and its client do all without the environment's classes", async () => {
  const sandbox = await startSandbox();
  const hook = await sandbox.receiver();
  for (const one of [sandbox, createClient({ baseUrl: sandbox.baseUrl })]) {
    const events = one.events();
    const { id, qrCode } = await one.payins.create({ webhookUrl: hook.url });
    await one.payins.payCode(qrCode);
    expect(await hook.next("payin.paid")).toMatchObject({ transactionId: id, isVerified: true });
    await one.webhooks.waitFor({ type: "payin.paid", transactionId: id });
    for await (const { data } of events) {
      expect(data.id).toBe(id);
      break;
    }
  }
  expect(await sandbox.payins.list()).toHaveLength(2);
  const signal = new AbortController().signal;
  const response = await sandbox.fetch("/_sandbox/health", { signal });
  expect(await response.json()).toMatchObject({ status: "ok" });
  await sandbox.close();
});

shopTest("tests a shop that uses the environment's fetch", async ({ sandbox, integration }) => {
  const shop = new Shop(sandbox.baseUrl, integration.headers);
  await shop.open();
  const id = await shop.sell(10.5);
  await integration.payins.pay(id);
  await expect(id).toHaveBeenDelivered("payin.paid");
  expect([...shop.paid]).toEqual([id]);
  await shop.close();
});

import { expect, test } from "@jest/globals";
import { createClient, SandboxError, startSandbox, WaitTimeoutError } from "pix-sandbox";
import { SandboxError as OfJest } from "pix-sandbox/jest";
import { Shop } from "./shop.js";

test("starts a sandbox in its own process, and calls it both ways", async () => {
  const sandbox = await startSandbox({ now: new Date("2026-12-24T12:00:00Z") });
  const shop = new Shop(sandbox.baseUrl, () => sandbox.headers());
  await shop.open();
  try {
    const id = await shop.sell(10.5);
    const client = createClient({ baseUrl: sandbox.baseUrl });
    const { createdAt } = await client.payins.get(id);
    expect(createdAt).toMatch(/^2026-12-24T12:00/);
    await sandbox.payins.pay(id);
    await client.webhooks.waitFor({ type: "payin.paid", transactionId: id });
    expect([...shop.paid]).toEqual([id]);
    expect((await sandbox.fetch("/_sandbox/health")).status).toBe(200);
    await client.clock.advance({ minutes: 5 });

    const qr = await sandbox.payins.create({ generateQrcode: true });
    expect(qr.qrCodeBase64).toMatch(/^iVBORw0KGgo/);
    await expect(client.payins.get("no such id")).rejects.toBeInstanceOf(SandboxError);
    expect(OfJest).toBe(SandboxError);
    const wait = sandbox.webhooks.waitFor({ type: "payout.completed", timeoutMs: 10 });
    await expect(wait).rejects.toBeInstanceOf(WaitTimeoutError);
  } finally {
    await shop.close();
    await sandbox.close();
  }
});

import { describe, expect, it } from "vitest";
import { createClient, startSandbox } from "../../src/index.ts";
import { runMainJson, serveMain } from "../support/main.ts";

interface Created {
  readonly id: string;
  readonly webhook_url: string;
}

interface SinkPage {
  readonly data: readonly { readonly transaction_id: string; readonly verified: boolean }[];
}

describe("a record without a webhook address", () => {
  it("sends its webhooks to the sandbox's own receiver if a command creates it", async () => {
    await using serving = await serveMain();
    const env = { PIX_SANDBOX_URL: serving.url };
    const sink = `${serving.url}/_sandbox/sink/sample`;
    const payin = await runMainJson<Created>(["payin", "create"], { env });
    const payout = await runMainJson<Created>(["payout", "create"], { env });
    expect([payin.webhook_url, payout.webhook_url]).toEqual([sink, sink]);

    await runMainJson(["payin", "pay", payin.id], { env });
    await runMainJson(["payout", "complete", payout.id], { env });
    for (const type of ["payin.paid", "payout.completed"])
      await runMainJson(["wait", type], { env });
    const response = await fetch(`${serving.url}/_sandbox/sink`);
    expect(((await response.json()) as SinkPage).data).toMatchObject([
      { transaction_id: payin.id, verified: true },
      { transaction_id: payout.id, verified: true },
    ]);
  });

  it("sends its webhooks to the sandbox's own receiver if the test API creates it", async () => {
    await using sandbox = await startSandbox();
    const sink = `${sandbox.url}/_sandbox/sink/sample`;
    for (const api of [sandbox, createClient({ baseUrl: sandbox.baseUrl })]) {
      const payin = await api.payins.create();
      const payout = await api.payouts.create();
      expect([payin.webhookUrl, payout.webhookUrl]).toEqual([sink, sink]);
      await api.payouts.cancel(payout.id);
      const { status } = await api.webhooks.waitFor({ transactionId: payout.id });
      expect(status).toBe("delivered");
    }
  });

  it("is the same record if its call is repeated", async () => {
    await using sandbox = await startSandbox();
    const options = { idempotencyKey: "order-1" };
    const first = await sandbox.payins.create({}, options);
    expect((await sandbox.payins.create({}, options)).id).toBe(first.id);
  });
});

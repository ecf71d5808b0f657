import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { scanPng } from "../cli/scan.ts";
import { startServe } from "../../support/cli.ts";
import { startProcess } from "../../support/process.ts";
import { headersOf, type Shown } from "../../support/calls.ts";
import { startMerchant, verified } from "../../support/merchant.ts";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe("the scenario with curl only", { timeout: 60_000 }, () => {
  it("ends in one signed webhook", async ({ skip }) => {
    skip(!hasCurl, "curl is not installed");
    await using merchant = await startMerchant();
    await using sandbox = await startServe();

    const payin = await curl<Record<string, string>>(
      ...post(`${sandbox.url}/v1/payins`, {
        value: 10.5,
        buyer_cpf: "12345678909",
        buyer_name: "Maria da Silva",
        buyer_email: "maria@example.com",
        webhook_url: merchant.url,
        generate_qrcode: true,
      }),
    );
    expect(Object.keys(payin)).toEqual([
      "id",
      "pix_id",
      "acquirer_id",
      "qr_code",
      "qr_code_base64",
    ]);
    const image = Buffer.from(payin["qr_code_base64"] ?? "", "base64");
    expect(scanPng(image)).toBe(payin["qr_code"]);

    const simulation = { transaction_id: payin["id"], status: "completed" };
    const simulated = await curl(...post(`${sandbox.url}/v1/payins/simulations`, simulation));
    expect(simulated).toEqual({ message: "The charge was marked as completed in staging." });

    const [webhook] = await merchant.waitFor(1);
    expect(webhook && verified(webhook, sandbox.secret)).toMatchObject({
      type: "payin.paid",
      data: { id: payin["id"], status: "completed" },
    });

    await curl(...post(`${sandbox.url}/_sandbox/clock/advance`, { seconds: 0 }));
    const { data } = await curl<{ data: Shown[] }>(`${sandbox.url}/_sandbox/deliveries`);
    expect(data).toEqual([expect.objectContaining({ type: "payin.paid", status: "delivered" })]);
    expect(merchant.received).toHaveLength(1);
  });
});

function post(url: string, body: unknown): string[] {
  const headers = {
    "content-type": "application/json",
    ...headersOf("curl"),
    "x-idempotency-key": crypto.randomUUID(),
  };
  const flags = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  return [url, ...flags, "-d", JSON.stringify(body)];
}

async function curl<Body>(...args: string[]): Promise<Body> {
  await using program = startProcess("curl", [
    "--silent",
    "--show-error",
    "--noproxy",
    "*",
    ...args,
  ]);
  const { code, stdout, stderr } = await program.ended;
  if (code !== 0) throw new Error(`curl ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Body;
}

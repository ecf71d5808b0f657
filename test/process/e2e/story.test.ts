import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { scanDrawing } from "../cli/scan.ts";
import { runCli, runJson, startCli, startServe } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import type { Shown } from "../../support/calls.ts";
import { startMerchant, verified } from "../../support/merchant.ts";

describe("the way from an empty folder to a paid payin", { timeout: 60_000 }, () => {
  it("takes four commands", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    await using sandbox = await startServe([], { cwd: folder.path });
    const here = { cwd: folder.path, env: { PIX_SANDBOX_URL: sandbox.url } };

    const ready = await runCli(["ready", "--wait"], here);
    expect(ready).toMatchObject({ code: 0, stderr: "" });
    expect(ready.stdout).toContain(sandbox.url);
    expect(existsSync(folder.at(".pix-sandbox/state.json"))).toBe(true);

    const create = ["payin", "create", "--value", "10.50", "--webhook-url", merchant.url, "--qr"];
    const created = await runCli(create, here);
    expect(created.code).toBe(0);
    const { data: payins } = await runJson<{ data: Shown[] }>(["payin", "list"], here);
    expect(payins).toHaveLength(1);
    const [payin] = payins as [Shown];
    expect(payin).toMatchObject({ status: "waiting", value: 10.5, webhook_url: merchant.url });
    expect(created.stdout).toContain(payin.id);
    expect(created.stdout).toContain(payin.qr_code);
    expect(scanDrawing(created.stdout)).toBe(payin.qr_code);

    const simulated = await runCli(["simulate", "payin", payin.id], here);
    expect(simulated.code).toBe(0);
    expect(simulated.stderr).toContain("completed, not paid");
    const [webhook] = await merchant.waitFor(1);
    expect(webhook && verified(webhook, sandbox.secret)).toMatchObject({
      id: webhook?.headers["webhook-id"],
      type: "payin.paid",
      data: { id: payin.id, status: "completed", value: 10.5 },
    });

    await untilRecorded(sandbox.url);
    const listed = await runCli(["webhooks", "list"], here);
    expect(listed.code).toBe(0);
    const rows = listed.stdout.split("\n").filter((line) => line.includes("payin.paid"));
    expect(rows).toEqual([expect.stringMatching(/^evt_\S+ +payin\.paid +delivered +1 +200 /)]);
    expect(merchant.received).toHaveLength(1);
  });

  it("has a `ready --wait` that is satisfied once the sandbox is there", async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await using waiting = startCli(["ready", "--wait", "--url", `http://127.0.0.1:${port}`]);
    await once(server, "connection"); // It has asked, and nobody was there.
    server.close();
    await once(server, "close");
    expect(waiting.process.exitCode).toBeNull();

    await using sandbox = await startServe(["--memory", "--port", String(port)]);
    expect(await waiting.ended).toMatchObject({ code: 0, stderr: "" });
    expect(sandbox.ready.port).toBe(port);
  });
});

/** The merchant has answered; a moment later the sandbox has written that down, and moving time waits for it. */
async function untilRecorded(url: string): Promise<void> {
  await fetch(`${url}/_sandbox/clock/advance`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ seconds: 0 }),
  });
}

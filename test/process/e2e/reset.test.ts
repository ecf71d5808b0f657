import { describe, expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";
import { runMainJson, startMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { callsTo } from "../../support/calls.ts";
import { describeKilledResets } from "../../support/killed-resets.ts";
import { startMerchant } from "../../support/merchant.ts";

// test/long/reset.test.ts kills at more moments.
describeKilledResets([0, 3]);

describe("a reset and a snapshot beside a state file", { timeout: 120_000 }, () => {
  it("lets a restart send nothing of what a reset took away, and what a snapshot brought back", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant({ answer: 503 });
    const args = ["--state", "state.json", "--clock", "frozen"];
    const start = () => startServe(args, { cwd: folder.path });
    {
      await using sandbox = await start();
      const calls = callsTo(sandbox.url);
      const { body } = await calls.createPayin({ webhook_url: merchant.url });
      await calls.simulate("payin", body.id);
      await calls.control("POST", "/settle");
      await calls.control("PUT", "/snapshots/pending");
      await calls.control("POST", "/reset");
      await sandbox.stop("SIGKILL");
    }
    merchant.answerWith(200);
    {
      await using sandbox = await start();
      const calls = callsTo(sandbox.url);
      await calls.advance(3600);
      expect(merchant.received).toHaveLength(1);
      await calls.control("POST", "/snapshots/pending/restore");
      await sandbox.stop("SIGKILL");
    }
    await using sandbox = await start();
    const calls = callsTo(sandbox.url);
    await calls.advance(3600);
    expect(merchant.received).toHaveLength(2);
    expect(await calls.deliveries()).toMatchObject([
      { status: "delivered", attempts: [{ status: 503 }, { status: 200 }] },
    ]);
    expect(new Set(merchant.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  it("are printed by a tail that continues, and not by another integration's", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await serveMain(["--memory"]);
    const tailFor = (token: string) =>
      startMain(["webhooks", "tail", "--json", "--url", sandbox.url, "--token", token]);
    await using tail = tailFor("shop");
    await using other = tailFor("other");
    for (const one of [tail, other]) await one.lines("stderr", 1);
    await runMainJson(["reset", "--url", sandbox.url, "--token", "shop"]);
    for (const token of ["shop", "other"]) {
      const calls = callsTo(sandbox.url, token);
      const { body } = await calls.createPayin({ webhook_url: merchant.url });
      await calls.simulate("payin", body.id);
    }
    for (const one of [tail, other]) {
      const [line = ""] = await one.lines("stdout", 1);
      expect(JSON.parse(line)).toMatchObject({ type: "payin.paid", status: "delivered" });
    }
    expect(tail.stderr).toContain("The sandbox was reset for shop");
    expect(other.stderr).not.toContain("reset");
  });
});

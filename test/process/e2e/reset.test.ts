import { describe, expect, it } from "vitest";
import { type Serving, startServe } from "../../support/cli.ts";
import { runMainJson, startMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { turns } from "../../support/core.ts";
import { type Calls, callsTo, type Shown } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";

/** Enough that a restore is more than one write of the disk. */
const PAYINS = 40;
/** So many moments between a call and its answer at which the sandbox dies. */
const KILLS = 6;

describe("a reset and a snapshot beside a state file", { timeout: 120_000 }, () => {
  it("survive a kill -9 as a whole: at any moment all of it happened, or none", async () => {
    await using folder = await createFolder();
    const args = ["--state", "state.json", "--clock", "frozen", "--seed", "42"];
    const start = () => startServe(args, { cwd: folder.path });
    const ids: string[] = [];
    {
      await using sandbox = await start();
      const calls = callsTo(sandbox.url);
      for (let count = 0; count < PAYINS; count++)
        ids.push((await calls.createPayin({ webhook_url: "http://127.0.0.1:9/" })).body.id);
      await calls.control("PUT", "/snapshots/many");
      await sandbox.stop("SIGKILL");
    }
    for (let kill = 0; kill < KILLS; kill++) {
      for (const [path, before, after] of [
        ["/reset", PAYINS, 0],
        ["/snapshots/many/restore", 0, PAYINS],
      ] as const) {
        const isAnswered = await during(await start(), path, kill);
        await using sandbox = await start();
        const calls = callsTo(sandbox.url);
        const found = await payinsOf(calls);
        expect(isAnswered ? [after] : [before, after]).toContain(found.length);
        if (found.length > 0) expect(found.map(({ id }) => id)).toEqual(ids);
        await calls.control("POST", path);
        expect(await payinsOf(calls)).toHaveLength(after);
        await sandbox.stop(kill % 2 === 0 ? "SIGKILL" : "SIGINT");
      }
    }
  });

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

/** Kills a sandbox so many turns of the event loop after it was asked. @returns whether it had answered. */
async function during(sandbox: Serving, path: string, moment: number): Promise<boolean> {
  await using killed = sandbox;
  let isAnswered = false;
  const answer = fetch(`${killed.url}/_sandbox${path}`, { method: "POST" }).then(
    ({ status }) => (isAnswered = status === 200),
    () => undefined,
  );
  await turns(2 ** moment * 4);
  const wasAnswered = isAnswered;
  await killed.stop("SIGKILL");
  await answer;
  return wasAnswered || isAnswered;
}

async function payinsOf(calls: Calls): Promise<readonly Shown[]> {
  return (await calls.control<{ data: readonly Shown[] }>("GET", "/payins?limit=1000")).data;
}

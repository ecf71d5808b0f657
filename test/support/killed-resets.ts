import { describe, expect, it } from "vitest";
import { type Calls, callsTo, type Shown } from "./calls.ts";
import { type Serving, startServe } from "./cli.ts";
import { turns } from "./core.ts";
import { createFolder } from "./folder.ts";

/** Enough that a restore is more than one write of the disk. */
const PAYINS = 40;

/** @param moments when a sandbox dies after it was asked: each twice as late as the one before it */
export function describeKilledResets(moments: readonly number[]): void {
  describe("a reset and a restored snapshot", { timeout: 120_000 }, () => {
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
      for (const moment of moments) {
        for (const [path, before, after] of [
          ["/reset", PAYINS, 0],
          ["/snapshots/many/restore", 0, PAYINS],
        ] as const) {
          const isAnswered = await during(await start(), path, moment);
          await using sandbox = await start();
          const calls = callsTo(sandbox.url);
          const found = await payinsOf(calls);
          expect(isAnswered ? [after] : [before, after]).toContain(found.length);
          if (found.length > 0) expect(found.map(({ id }) => id)).toEqual(ids);
          await calls.control("POST", path);
          expect(await payinsOf(calls)).toHaveLength(after);
          await sandbox.stop(moment % 2 === 0 ? "SIGKILL" : "SIGINT");
        }
      }
    });
  });
}

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

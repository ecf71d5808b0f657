import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";
import { runMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { type Running } from "../../support/process.ts";
import { deferred } from "../../support/core.ts";
import { type Calls, callsTo } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";
import { payOne, startTail, startTailProcess, toAttempts } from "./tail.ts";

const UNKNOWN_ID = "evt_0123456789abcdef0123456789abcdef";

describe("the position at which webhooks tail begins", { timeout: 60_000 }, () => {
  it.each([
    ["all", () => "all", 0],
    ["0", () => "0", 0],
    ["the number of an event", ({ numbers }: Sent) => String(numbers[0]), 1],
    ["a webhook's id", ({ ids }: Sent) => ids[0] ?? "", 1],
    ["the last webhook's id", ({ ids }: Sent) => ids[2] ?? "", 3],
  ])("is behind what --since names: %s", async (_title, sinceOf, first) => {
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    const sent = await sendThree(callsTo(sandbox.url), merchant.url);
    const since = ["--since", sinceOf(sent)];
    await using tail = await startTail(sandbox.url, "--json", "--exit-with-sandbox", ...since);
    await sandbox.stop();
    const { code, stdout } = await tail.ended;

    const ids = stdout.split("\n").flatMap((line) => /"id":"(evt_\w+)"/.exec(line)?.[1] ?? []);
    expect({ code, ids }).toEqual({ code: 0, ids: sent.ids.slice(first) });
  });

  it("is refused after an unknown webhook, or one of another integration", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    const { ids } = await sendThree(callsTo(sandbox.url), merchant.url);
    for (const args of [
      ["--since", UNKNOWN_ID],
      ["--since", ids[0] ?? "", "--token", "another"],
    ]) {
      const ended = await runMain(["webhooks", "tail", ...args, "--url", sandbox.url]);
      expect(ended).toMatchObject({ code: 5, stdout: "" });
      expect(ended.stderr).toMatch(/no delivery with the id evt_/);
    }
  });

  it("is the position at which the last run with the same --cursor ended", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    const args = ["--json", "--cursor", folder.at("cursor")];
    const runs: string[][] = [];
    await using first = await startTail(sandbox.url, ...args);
    const expected = [await payOne(calls, merchant.url)];
    await first.lines("stdout", 1);
    await first.stop();
    runs.push(transactionsIn(first));
    expected.push(await payOne(calls, merchant.url));
    await calls.control("POST", "/settle");
    // The place that is kept goes before one that is named.
    await using second = await startTail(sandbox.url, ...args, "--since", "all");
    await second.lines("stdout", 1);
    await second.stop();
    runs.push(transactionsIn(second));

    expect(runs).toEqual([[expected[0]], [expected[1]]]);
  });

  it("is after --since if the cursor's file does not exist yet", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    const { ids } = await sendThree(callsTo(sandbox.url), merchant.url);
    const args = ["--json", "--cursor", folder.at("cursor"), "--since", ids[1] ?? ""];
    await using tail = await startTail(sandbox.url, ...args);
    const attempts = toAttempts(await tail.lines("stdout", 1));

    expect(attempts.map(({ id }) => id)).toEqual([ids[2]]);
    expect(existsSync(folder.at("cursor"))).toBe(true);
  });

  it("is now with a cursor's file that is empty, as mktemp makes one", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at("cursor"), "");
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    await payOne(calls, merchant.url);
    await calls.control("POST", "/settle");
    await using tail = await startTail(sandbox.url, "--json", "--cursor", folder.at("cursor"));
    const seen = await payOne(calls, merchant.url);
    await tail.lines("stdout", 1);
    await tail.stop();

    expect(transactionsIn(tail)).toEqual([seen]);
    expect(await readFile(folder.at("cursor"), "utf8")).toMatch(/^\d+ [0-9a-f]+\n$/);
  });

  it("belongs to one command: a command that finds another's position ends", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    const answer = deferred();
    await using slow = await startMerchant({
      answer: async () => {
        await answer.promise;
        return 200;
      },
    });
    await using sandbox = await serveMain();
    const args = ["--cursor", folder.at("cursor")];
    await using first = await startTail(sandbox.url, ...args, "--forward-to", slow.url);
    await using second = await startTail(sandbox.url, ...args);
    const calls = callsTo(sandbox.url);
    await payOne(calls, merchant.url);
    await slow.waitFor(1);
    await payOne(calls, merchant.url);
    // It has kept its place behind the first one before it shows the second one.
    await second.lines("stdout", 4);
    answer.resolve();
    const { code, stderr } = await first.ended;

    expect(code).toBe(2);
    expect(stderr).toContain("is in use by another command");
  });

  it.each(["\n", "12\n", "evt_1\n", "12 xyz\n", "12 0123456789abcdef", "A shopping list.\n"])(
    "is not in a file that holds %j, which is left as it is",
    async (text) => {
      await using folder = await createFolder();
      await writeFile(folder.at("notes.txt"), text);
      await using sandbox = await serveMain();
      const args = ["--cursor", folder.at("notes.txt"), "--url", sandbox.url];
      const { code, stdout, stderr } = await runMain(["webhooks", "tail", ...args]);

      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("notes.txt");
      expect(await readFile(folder.at("notes.txt"), "utf8")).toBe(text);
    },
  );

  it.each([
    ["that does not exist", "no/such/folder/cursor", "cannot be written"],
    ["that is a folder itself", ".", "cannot be read"],
  ])("is not kept in a place %s", async (_title, name, why) => {
    await using folder = await createFolder();
    await using sandbox = await serveMain();
    const args = ["--cursor", folder.at(name), "--url", sandbox.url];
    const { code, stdout, stderr } = await runMain(["webhooks", "tail", ...args]);

    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(why);
    expect(stderr).toContain("--cursor");
  });
});

describe("webhooks tail of a sandbox that is started again", { timeout: 60_000 }, () => {
  it("continues without a gap or a repeat", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    const args = ["--state", folder.at("state.json"), "--port"];
    await using first = await startServe([...args, "0"]);
    await using tail = await startTailProcess(first.url, ["--json"]);
    const seen = await payOne(callsTo(first.url), merchant.url);
    await tail.lines("stdout", 1);

    // The tail sleeps while the sandbox comes back and sends two more: they are told of later.
    tail.process.kill("SIGSTOP");
    await first.stop();
    await using second = await startServe([...args, String(first.ready.port)]);
    const calls = callsTo(second.url);
    const missed = [await payOne(calls, merchant.url), await payOne(calls, merchant.url)];
    await merchant.waitFor(3);
    await calls.advance(0);
    tail.process.kill("SIGCONT");
    await tail.lines("stderr", 1, (line) => line.startsWith("Reconnected"));
    const live = await payOne(calls, merchant.url);

    const attempts = toAttempts(await tail.lines("stdout", 4));
    expect(attempts.map(({ transaction_id }) => transaction_id)).toEqual([seen, ...missed, live]);
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(4);
    expect((await tail.stop()).code).toBe(0);
  });

  it("misses nothing even if it has seen nothing yet", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    const args = ["--state", folder.at("state.json"), "--port"];
    await using first = await startServe([...args, "0"]);
    const before = await payOne(callsTo(first.url), merchant.url);
    await merchant.waitFor(1);
    await callsTo(first.url).advance(0);
    await using tail = await startTailProcess(first.url, ["--json"]);

    tail.process.kill("SIGSTOP");
    await first.stop();
    await using second = await startServe([...args, String(first.ready.port)]);
    const calls = callsTo(second.url);
    const missed = await payOne(calls, merchant.url);
    await merchant.waitFor(2);
    await calls.advance(0);
    tail.process.kill("SIGCONT");
    await tail.lines("stderr", 1, (line) => line.startsWith("Reconnected"));
    const live = await payOne(calls, merchant.url);
    await tail.lines("stdout", 1, (line) => line.includes(live));

    const attempts = toAttempts(await tail.lines("stdout", 1));
    expect(attempts.map(({ transaction_id }) => transaction_id)).toEqual([missed, live]);
    expect(tail.stdout).not.toContain(before);
  });
});

/** Three webhooks, and the numbers of their attempts. */
interface Sent {
  readonly ids: readonly string[];
  readonly numbers: readonly number[];
}

/** One after the other: create, pay, tell and be answered are four events each. */
async function sendThree(calls: Calls, webhookUrl: string): Promise<Sent> {
  for (let count = 0; count < 3; count++) {
    await payOne(calls, webhookUrl);
    await calls.control("POST", "/settle");
  }
  return { ids: (await calls.deliveries()).map(({ id }) => id), numbers: [4, 8, 12] };
}

function transactionsIn({ stdout }: Running): string[] {
  return toAttempts(stdout.trimEnd().split("\n")).map(({ transaction_id }) => transaction_id);
}

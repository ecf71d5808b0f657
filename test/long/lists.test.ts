import { describe, expect, it } from "vitest";
import { runCli, startServe } from "../support/cli.ts";
import { BUYER, callsTo } from "../support/calls.ts";

const MB = 1_000_000;
const COUNT = 60;

describe("a list of payins with names of 1 MB", { timeout: 600_000 }, () => {
  it("is answered, and printed by a command", async () => {
    await using sandbox = await startServe(["--memory", "--clock", "frozen", "--quiet"]);
    const calls = callsTo(sandbox.url);
    const long = { ...BUYER, buyer_name: "x".repeat(MB), webhook_url: "http://127.0.0.1:9/" };
    for (let count = 0; count < COUNT; count++)
      expect((await calls.createPayin(long)).status).toBe(200);

    const answer = await fetch(`${sandbox.url}/_sandbox/payins?limit=1000`);
    let length = 0;
    for await (const chunk of answer.body ?? []) length += chunk.length;
    expect(answer.status).toBe(200);
    expect(length).toBeGreaterThan(COUNT * MB);

    const list = ["payin", "list", "--url", sandbox.url, "--json", "--limit", "20"];
    const { code, stdout } = await runCli(list);
    expect([code, stdout.length > 20 * MB]).toEqual([0, true]);
  });
});

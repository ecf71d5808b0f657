import { describe, expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";
import { serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { callsTo } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";
import { startProxy } from "../../support/proxy.ts";
import { payOne, startTail, startTailProcess, toAttempts } from "./tail.ts";

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
    expect((await tail.stop()).code).toBe(130);
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

it("webhooks tail continues without a gap or a repeat after its connection alone broke", async () => {
  await using merchant = await startMerchant();
  await using sandbox = await serveMain();
  const calls = callsTo(sandbox.url);
  await using proxy = await startProxy(sandbox.ready.port);
  await using tail = await startTail(proxy.url, "--json");
  const expected = [await payOne(calls, merchant.url)];
  await tail.lines("stdout", 1);
  proxy.cut();
  expected.push(await payOne(calls, merchant.url));
  await tail.lines("stderr", 1, (line) => line === "Reconnected.");
  expected.push(await payOne(calls, merchant.url));
  const attempts = toAttempts(await tail.lines("stdout", 3));
  expect(attempts.map(({ transaction_id }) => transaction_id)).toEqual(expected);
});

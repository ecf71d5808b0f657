import { describe, expect, it } from "vitest";
import { callsTo } from "../../support/calls.ts";
import { createFolder } from "../../support/folder.ts";
import { isConnected, payAll, startTail, startTarget } from "../../support/forwarding.ts";
import { describeKilledTails } from "../../support/killed-tails.ts";
import { serveMain } from "../../support/main.ts";
import { startMerchant } from "../../support/merchant.ts";

// test/long/tail.test.ts kills more often.
describeKilledTails({ deliveries: 60, kills: 2 });

describe("a sandbox in memory that is restarted while webhooks tail runs", () => {
  it.each([
    ["fewer", 5, 2],
    ["more", 2, 5],
  ])(
    "has all its webhooks forwarded, be they %s than before",
    { timeout: 60_000 },
    async (_title, before, after) => {
      await using merchant = await startMerchant();
      await using target = await startTarget();
      await using first = await serveMain();
      await using tail = startTail(first.url, "--forward-to", target.merchant.url);
      await tail.lines("stderr", 1, isConnected);
      await payAll(callsTo(first.url), merchant.url, before);
      await target.distinct(before);

      // It sleeps while the new one begins to count, and finds all that done.
      tail.process.kill("SIGSTOP");
      await first.stop();
      // The client has seen that its connections are closed: the next sandbox has the same port.
      await expect(fetch(first.url)).rejects.toThrow("fetch failed");
      await using second = await serveMain(["--memory", "--port", String(first.ready.port)]);
      const calls = callsTo(second.url);
      await payAll(calls, merchant.url, after);
      await calls.control("POST", "/settle");
      tail.process.kill("SIGCONT");
      await target.distinct(before + after);

      const deliveries = await calls.deliveries();
      expect(target.ids.slice(before)).toEqual(deliveries.map(({ id }) => id));
    },
  );

  it(
    "has all its webhooks forwarded by a run with an older cursor",
    { timeout: 60_000 },
    async () => {
      await using folder = await createFolder();
      await using merchant = await startMerchant();
      await using target = await startTarget();
      const args = ["--forward-to", target.merchant.url, "--cursor", folder.at("cursor")];
      for (const count of [5, 2]) {
        await using sandbox = await serveMain();
        await using tail = startTail(sandbox.url, ...args, "--exit-with-sandbox");
        await tail.lines("stderr", 1, isConnected);
        await tail.stop("SIGKILL");
        await payAll(callsTo(sandbox.url), merchant.url, count);
        await callsTo(sandbox.url).control("POST", "/settle");
        await using next = startTail(sandbox.url, ...args, "--exit-with-sandbox");
        await next.lines("stdout", count, (line) => line.includes("forwarded to"));
        await sandbox.stop();
        expect(await next.ended).toMatchObject({ code: 0 });
      }
      expect(target.ids).toHaveLength(7);
      expect(new Set(target.ids).size).toBe(7);
    },
  );
});

describe("Ctrl-C while a forwarded webhook is not answered", { timeout: 60_000 }, () => {
  it("ends the run at once, and the next run forwards it", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    await using target = await startTarget("hold");
    await using sandbox = await serveMain();
    const args = ["--forward-to", target.merchant.url, "--cursor", folder.at("cursor")];
    await using held = startTail(sandbox.url, ...args);
    await held.lines("stderr", 1, isConnected);
    await payAll(callsTo(sandbox.url), merchant.url, 1);
    await target.arrivals(1);
    expect(await held.stop("SIGINT")).toMatchObject({ code: 0, signal: null });
    expect(held.stdout).not.toContain("forwarded to");

    target.merchant.answerWith(200);
    await using tail = startTail(sandbox.url, ...args, "--exit-with-sandbox");
    const [answer] = await tail.lines("stdout", 1, (line) => line.includes("forwarded to"));
    expect(answer).toMatch(/ {2}<-- {2}200 {2}/);
    await sandbox.stop();
    expect((await tail.ended).code).toBe(0);
    expect(target.ids).toHaveLength(2);
    expect(new Set(target.ids).size).toBe(1);
  });

  it("forwards nothing more, however much is there already", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    await using target = await startTarget();
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    await payAll(calls, merchant.url, 100);
    await calls.control("POST", "/settle");
    const args = ["--forward-to", target.merchant.url, "--cursor", folder.at("cursor")];
    await using tail = startTail(sandbox.url, ...args, "--since", "all");
    target.merchant.answerWith((_, index) => {
      if (index === 9) tail.process.kill("SIGINT");
      return 200;
    });
    expect(await tail.ended).toMatchObject({ code: 0, signal: null });

    // The signal overtakes a few at most.
    expect(target.ids.length).toBeLessThan(20);
    const forwarded = target.ids.length;
    await using next = startTail(sandbox.url, ...args, "--exit-with-sandbox");
    await target.distinct(100);
    await sandbox.stop();
    await next.ended;
    expect(target.ids.length).toBeLessThanOrEqual(101);
    expect(forwarded).toBeGreaterThanOrEqual(10);
  });
});

describe("webhooks tail whose output has no reader", { timeout: 60_000 }, () => {
  it("ends, and the next run forwards what it did not", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    await using target = await startTarget();
    await using sandbox = await serveMain();
    const args = ["--forward-to", target.merchant.url, "--cursor", folder.at("cursor")];
    await using unread = startTail(sandbox.url, ...args);
    await unread.lines("stderr", 1, isConnected);
    unread.process.stdout?.destroy();
    await payAll(callsTo(sandbox.url), merchant.url, 50);
    await callsTo(sandbox.url).control("POST", "/settle");
    expect(await unread.ended).toMatchObject({ code: 0, signal: null });
    expect(unread.stderr).not.toContain("error");

    await using next = startTail(sandbox.url, ...args, "--exit-with-sandbox");
    await target.distinct(50);
    await sandbox.stop();
    expect((await next.ended).code).toBe(0);
    expect(target.ids.length).toBeLessThanOrEqual(51);
  });
});

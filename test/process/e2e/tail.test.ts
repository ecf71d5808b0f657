import { describe, expect, it } from "vitest";
import { callsTo } from "../../support/calls.ts";
import { isConnected, payAll, startTail, startTarget } from "../../support/forwarding.ts";
import { describeRestarts } from "../../support/restarted-sandboxes.ts";
import { serveMain } from "../../support/main.ts";
import { startMerchant } from "../../support/merchant.ts";

// test/long/tail.test.ts sends more.
describeRestarts(60);

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
});

describe("Ctrl-C while a forwarded webhook is not answered", { timeout: 60_000 }, () => {
  it("ends the run at once", async () => {
    await using merchant = await startMerchant();
    await using target = await startTarget("hold");
    await using sandbox = await serveMain();
    await using held = startTail(sandbox.url, "--forward-to", target.merchant.url);
    await held.lines("stderr", 1, isConnected);
    await payAll(callsTo(sandbox.url), merchant.url, 1);
    await target.arrivals(1);
    expect(await held.stop("SIGINT")).toMatchObject({ code: 130, signal: null });
    expect(held.stdout).not.toContain("forwarded to");
  });

  it("forwards nothing more, however much is there already", async () => {
    await using merchant = await startMerchant();
    await using target = await startTarget();
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    await using tail = startTail(sandbox.url, "--forward-to", target.merchant.url);
    await tail.lines("stderr", 1, isConnected);
    // It sleeps until all of them are sent.
    tail.process.kill("SIGSTOP");
    await payAll(calls, merchant.url, 100);
    await calls.control("POST", "/settle");
    target.merchant.answerWith((_, index) => {
      if (index === 9) tail.process.kill("SIGINT");
      return 200;
    });
    tail.process.kill("SIGCONT");
    expect(await tail.ended).toMatchObject({ code: 130, signal: null });

    // The signal overtakes a few at most.
    expect(target.ids.length).toBeLessThan(20);
    expect(target.ids.length).toBeGreaterThanOrEqual(10);
  });
});

describe("webhooks tail whose output has no reader", { timeout: 60_000 }, () => {
  it("ends without an error", async () => {
    await using merchant = await startMerchant();
    await using target = await startTarget();
    await using sandbox = await serveMain();
    await using unread = startTail(sandbox.url, "--forward-to", target.merchant.url);
    await unread.lines("stderr", 1, isConnected);
    unread.process.stdout?.destroy();
    await payAll(callsTo(sandbox.url), merchant.url, 50);
    await callsTo(sandbox.url).control("POST", "/settle");
    expect(await unread.ended).toMatchObject({ code: 0, signal: null });
    expect(unread.stderr).not.toContain("error");
  });
});

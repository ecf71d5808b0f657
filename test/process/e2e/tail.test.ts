import { describe, expect, it } from "vitest";
import { type Serving, startCli, startServe } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import { freePort, type Program } from "../../support/process.ts";
import { turns } from "../../support/core.ts";
import { type Calls, callsTo } from "../../support/calls.ts";
import { type Merchant, startMerchant } from "../../support/merchant.ts";

/** PIX_TAIL_DELIVERIES=1000 makes it a thousand, and ten kills. */
const { PIX_TAIL_DELIVERIES } = process.env;
const DELIVERIES = Number(PIX_TAIL_DELIVERIES ?? 300);
const KILLS = PIX_TAIL_DELIVERIES === undefined ? 5 : 10;
/** How many payins are created, or paid, at once. */
const CALLERS = 8;
/** No retry is left after so long. */
const LONG_SECONDS = 60;
const TIMEOUT_MS = 60_000 + DELIVERIES * 200;

describe("webhooks tail that is killed in mid-stream and started again", () => {
  it.each([
    ["the merchant's own address answers", true],
    ["nobody listens at the merchant's own address", false],
  ])(
    "forwards each webhook, and at most one a kill twice, where %s",
    { timeout: TIMEOUT_MS },
    async (_title, isAnswered) => {
      await using folder = await createFolder();
      await using merchant = await startMerchant();
      await using target = await startTarget();
      const url = isAnswered ? merchant.url : `http://127.0.0.1:${await freePort()}/hook`;
      // Time stands still, so that all retries come when the test lets them.
      await using sandbox = await startServe(["--memory", "--clock", "frozen"]);
      const calls = callsTo(sandbox.url);
      const ids = await createPayins(calls, url);
      const args = ["--forward-to", target.merchant.url, "--cursor", folder.at("cursor")];

      let paid: Promise<void> | undefined;
      for (let kill = 1; kill <= KILLS; kill++) {
        await using tail = startTail(sandbox.url, ...args);
        await tail.lines("stderr", 1, isConnected);
        paid ??= eachAtOnce(ids, (id) => calls.simulate("payin", id));
        await target.arrivals(Math.floor((kill * DELIVERIES) / (KILLS + 1)));
        // Before the answer, while it is on its way, when it is there.
        await turns(kill % 3);
        await tail.stop("SIGKILL");
      }
      await paid;
      await using tail = startTail(sandbox.url, ...args, "--exit-with-sandbox");
      await target.distinct(DELIVERIES);
      await calls.advance(LONG_SECONDS);
      const deliveries = await calls.deliveries();
      // The end of the stream comes after all that was in it.
      await sandbox.stop();
      expect(await tail.ended).toMatchObject({ code: 0 });

      expect(new Set(target.ids)).toEqual(new Set(deliveries.map(({ id }) => id)));
      expect(target.ids.length - DELIVERIES).toBeLessThanOrEqual(KILLS);
      expect(new Set(deliveries.map(({ attempts }) => attempts.length))).toEqual(
        new Set([isAnswered ? 1 : 4]),
      );
    },
  );
});

describe("a sandbox that is restarted while webhooks tail runs", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)(
    "after a %s has each webhook forwarded once",
    { timeout: TIMEOUT_MS },
    async (signal) => {
      await using folder = await createFolder();
      await using merchant = await startMerchant();
      await using target = await startTarget();
      const state = ["--state", folder.at("state.json")];
      await using first = await startServe(state);
      const running = new Set<Serving>([first]);
      const ids = await createPayins(callsTo(first.url), merchant.url);
      await using tail = startTail(first.url, "--json", "--forward-to", target.merchant.url);
      await tail.lines("stderr", 1, isConnected);

      let current: Promise<Serving> = Promise.resolve(first);
      const startAgain = async (before: Serving): Promise<Serving> => {
        await before.stop(signal);
        const next = await startServe([...state, "--port", String(first.ready.port)]);
        running.add(next);
        return next;
      };
      try {
        const paid = eachAtOnce(ids, (id) => payWhoeverIsThere(id, () => current));
        for (const part of [1 / 4, 2 / 4, 3 / 4]) {
          await target.distinct(Math.floor(DELIVERIES * part));
          current = startAgain(await current);
          await current;
        }
        await paid;
        const calls = callsTo(first.url);
        await calls.control("POST", "/settle");
        await target.distinct(DELIVERIES);
        const deliveries = await calls.deliveries();
        expect(new Set(target.ids)).toEqual(new Set(deliveries.map(({ id }) => id)));

        // Whatever would come again had come before this one.
        const [last = ""] = await createPayins(calls, merchant.url, 1);
        await calls.simulate("payin", last);
        await target.distinct(DELIVERIES + 1);
        expect(target.ids).toHaveLength(DELIVERIES + 1);
        expect(await tail.stop()).toMatchObject({ code: 0 });
        const numbers = eventNumbersIn(tail.stdout);
        expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
      } finally {
        for (const sandbox of running) await sandbox[Symbol.asyncDispose]();
      }
    },
  );

  it.each([
    ["fewer", 5, 2],
    ["more", 2, 5],
  ])(
    "and that kept nothing has all its webhooks forwarded, be they %s than before",
    { timeout: 60_000 },
    async (_title, before, after) => {
      await using merchant = await startMerchant();
      await using target = await startTarget();
      await using first = await startServe();
      await using tail = startTail(first.url, "--forward-to", target.merchant.url);
      await tail.lines("stderr", 1, isConnected);
      await payAll(callsTo(first.url), merchant.url, before);
      await target.distinct(before);

      // It sleeps while the new one begins to count, and finds all that done.
      tail.process.kill("SIGSTOP");
      await first.stop();
      await using second = await startServe(["--memory", "--port", String(first.ready.port)]);
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
    "and that kept nothing has all its webhooks forwarded by a run with an older cursor",
    { timeout: 60_000 },
    async () => {
      await using folder = await createFolder();
      await using merchant = await startMerchant();
      await using target = await startTarget();
      const args = ["--forward-to", target.merchant.url, "--cursor", folder.at("cursor")];
      for (const count of [5, 2]) {
        await using sandbox = await startServe();
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
    await using sandbox = await startServe();
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
    await using sandbox = await startServe();
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
    await using sandbox = await startServe();
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

/** Where webhooks are forwarded to: it counts them. */
interface Target extends AsyncDisposable {
  readonly merchant: Merchant;
  /** The ids of all that came, in the order in which they came. */
  readonly ids: readonly string[];
  /** Resolves once so many have come, one that came twice counted twice. */
  arrivals(count: number): Promise<unknown>;
  /** Resolves once so many different ones have come. */
  distinct(count: number): Promise<void>;
}

async function startTarget(answer: "hold" | 200 = 200): Promise<Target> {
  const merchant = await startMerchant({ answer });
  const idsOf = (): string[] => merchant.received.map(({ headers }) => headers["webhook-id"] ?? "");
  return {
    merchant,
    get ids() {
      return idsOf();
    },
    arrivals: (count) => merchant.waitFor(count),
    distinct: async (count) => {
      let missing: number;
      while ((missing = count - new Set(idsOf()).size) > 0)
        await merchant.waitFor(merchant.received.length + missing);
    },
    [Symbol.asyncDispose]: () => merchant.close(),
  };
}

function startTail(url: string, ...args: string[]): Program {
  return startCli(["webhooks", "tail", "--url", url, ...args]);
}

function isConnected(line: string): boolean {
  return line.startsWith("Connected");
}

async function createPayins(calls: Calls, webhook_url: string, count = DELIVERIES) {
  const ids: string[] = [];
  await eachAtOnce(Array.from({ length: count }), async () => {
    const { body } = await calls.createPayin({ webhook_url, expiration: 172_800 });
    ids.push(body.id);
  });
  return ids;
}

async function payAll(calls: Calls, webhookUrl: string, count: number): Promise<void> {
  for (const id of await createPayins(calls, webhookUrl, count)) await calls.simulate("payin", id);
}

/** Asks until somebody answers: a sandbox that is killed answers nothing, and the next one knows what it did. */
async function payWhoeverIsThere(id: string, current: () => Promise<Serving>): Promise<void> {
  for (;;) {
    const { url } = await current();
    try {
      const { status } = await callsTo(url).simulate("payin", id);
      expect([200, 422]).toContain(status);
      return;
    } catch (error) {
      // What fetch throws for a connection that fails.
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

async function eachAtOnce<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  const work = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: CALLERS }, work));
}

function eventNumbersIn(stdout: string): number[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { event_number?: number }).event_number)
    .filter((number) => number !== undefined);
}

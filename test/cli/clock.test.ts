import { Chalk } from "chalk";
import { describe, expect, it } from "vitest";
import { renderClock } from "../../src/cli/commands/clock.ts";
import { runMain, type ServingMain, serveMain } from "../support/main.ts";
import { callsTo } from "../support/calls.ts";
import { startMerchant } from "../support/merchant.ts";

const START = "2026-11-21T12:00:00.000Z";
const NOWHERE = "http://127.0.0.1:9/hook";

const PLAIN = new Chalk({ level: 0 });

describe("clock", { timeout: 60_000 }, () => {
  it("is set forward, and prints what happened on the way, a line each", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index === 0 ? 500 : 200) });
    await using sandbox = await startFrozen("--assume", "payin.expiry_event=webhook");
    const calls = callsTo(sandbox.url);
    const paid = (await calls.createPayin({ webhook_url: merchant.url })).body.id;
    const other = await calls.createPayin({ webhook_url: merchant.url, expiration: 20 });
    await calls.simulate("payin", paid);
    await calls.control("POST", "/settle");
    const { code, stdout } = await run(sandbox, "set", "2026-11-21T09:01:00-03:00");

    const [retried, expiry] = await calls.deliveries();
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n")).toEqual([
      `2026-11-21T12:00:01.000Z  attempt payin.paid ${retried?.id}: 200`,
      `2026-11-21T12:00:20.000Z  payin ${other.body.id} is expired`,
      `2026-11-21T12:00:20.000Z  delivery payin.expired ${expiry?.id} is pending`,
      `2026-11-21T12:00:20.000Z  attempt payin.expired ${expiry?.id}: 200`,
      "2026-11-21T12:01:00.000Z  frozen",
    ]);
  });

  it("prints only the newest of many events, and how many there were of each kind", async () => {
    const many = async (sandbox: ServingMain): Promise<void> => {
      for (let count = 0; count < 10; count++)
        await callsTo(sandbox.url).createPayin({ webhook_url: NOWHERE, expiration: 20 });
    };
    const failed = "attempt payin.expired: ECONNREFUSED 127.0.0.1:9";
    await using sandbox = await startFrozen("--assume", "payin.expiry_event=webhook");
    await many(sandbox);
    const english = (await run(sandbox, "advance", "1m")).stdout.trimEnd().split("\n");

    const line = /^2026-11-21T12:00:\d\d\.\d+Z {2}attempt payin\.expired evt_\w+: ECONNREFUSED/;
    expect(english.slice(1, 21)).toEqual(Array(20).fill(expect.stringMatching(line)));
    expect([english[0], ...english.slice(21)]).toEqual([
      "40 earlier events: --json prints all of them",
      "60 events:",
      `  40  ${failed}`,
      "  10  payin is expired",
      "  10  delivery payin.expired is pending",
      "2026-11-21T12:01:00.000Z  frozen",
    ]);
  });

  it("counts the least frequent kinds of many events together", () => {
    const happened = Array.from({ length: 78 }, (_, index) => ({
      at: START,
      kind: "attempt",
      data: {
        id: "evt_1",
        type: "payin.paid",
        status: "pending",
        // One attempt was answered with 200, two with 201, and so on.
        attempt: { status: 200 + Math.floor((Math.sqrt(8 * index + 1) - 1) / 2) },
      },
    }));
    const text = withoutDistance(renderClock({ now: START, mode: "frozen", happened }, PLAIN));

    const groups = Array.from({ length: 10 }, (_, index) => {
      const count = String(12 - index).padStart(2);
      return `  ${count}  attempt payin.paid: ${211 - index}`;
    });
    expect(text.split("\n").slice(21)).toEqual([
      "78 events:",
      ...groups,
      "   3  others",
      `${START}  frozen`,
    ]);
  });
});

function startFrozen(...args: string[]): Promise<ServingMain> {
  return serveMain(["--memory", "--clock", "frozen", "--now", START, ...args]);
}

/** Without how far the time is from real time, which differs between runs. */
async function run({ url }: ServingMain, ...args: string[]) {
  const ended = await runMain(["clock", ...args, "--url", url]);
  return { ...ended, stdout: withoutDistance(ended.stdout) };
}

function withoutDistance(text: string): string {
  return text.replace(/, .* real time$/m, "");
}

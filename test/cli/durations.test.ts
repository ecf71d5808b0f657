import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/index.ts";
import { runMain, runMainJson } from "../support/main.ts";

const START = "2026-11-21T12:00:00.000Z";

describe("a duration with a fraction", () => {
  it.each([
    ["16.1s", 16_100],
    ["4.1m", 246_000],
    ["0.5ms", 1],
    ["1.1", 1100],
    ["0.1h", 360_000],
  ])("is whole milliseconds wherever it is given: %s", async (text, ms) => {
    await using sandbox = await startSandbox({ clock: "frozen", now: START });
    const env = { PIX_SANDBOX_URL: sandbox.url };
    const after = (steps: number) => new Date(Date.parse(START) + steps * ms).toISOString();
    expect(await runMainJson(["clock", "advance", text], { env })).toMatchObject({ now: after(1) });
    expect(await sandbox.clock.advance(text)).toMatchObject({ now: after(2) });
    const ready = await runMain(["ready", "--wait", "--timeout", text], { env });
    // Nothing answers within a millisecond.
    expect(ms === 1 ? [0, 6] : [0]).toContain(ready.code);

    await sandbox.payins.create().then(({ id }) => sandbox.payins.pay(id));
    await sandbox.settled();
    const wait = ["wait", "payin.paid", "--timeout", text];
    expect(await runMain(wait, { env })).toMatchObject({ code: 0 });
    expect(await sandbox.webhooks.waitFor({ timeoutMs: ms + 0.1 })).toMatchObject({
      type: "payin.paid",
    });
  });
});

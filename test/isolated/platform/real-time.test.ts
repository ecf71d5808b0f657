import { afterEach, describe, expect, it, vi } from "vitest";
import { startSandbox } from "../../../src/index.ts";
import { createFolder } from "../../support/folder.ts";
import { startMerchant } from "../../support/merchant.ts";

const START_MS = Date.parse("2026-11-21T12:00:00.000Z");
const HOUR = 3_600_000;
const hands = vi.hoisted(() => ({ wallMs: 0, monotonicMs: 0 }));

vi.mock("../../../src/platform/real-time.ts", async (load) => ({
  ...(await load<object>()),
  wallNowMs: () => hands.wallMs,
  monotonicNowMs: () => hands.monotonicMs,
}));

afterEach(() => Object.assign(hands, { wallMs: START_MS, monotonicMs: 0 }));
Object.assign(hands, { wallMs: START_MS });

describe("a sandbox whose wall clock is set back an hour", () => {
  it("lets payins expire in their time", async () => {
    await using sandbox = await startSandbox();
    const { id, expiresAt } = await sandbox.payins.create({ expiration: 20 });
    hands.wallMs -= HOUR;
    pass(19_999);
    expect(await sandbox.payins.get(id)).toMatchObject({ status: "waiting" });
    pass(1);

    expect(await sandbox.payins.get(id)).toMatchObject({ status: "expired", settledAt: expiresAt });
    expect(sandbox.clock.nowMs()).toBe(START_MS + 20_000);
  });

  it("retries a webhook a second later, and signs with the wall clock", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using sandbox = await startSandbox();
    const { id } = await sandbox.payins.create({ webhookUrl: merchant.url });
    hands.wallMs -= HOUR;
    await sandbox.payins.pay(id);
    await sandbox.settled();
    merchant.answerWith(200);
    pass(1000);
    const { attempts } = await sandbox.webhooks.waitFor({ transactionId: id });

    expect(attempts).toHaveLength(2);
    expect(attempts[0]).toMatchObject({ at: iso(START_MS - HOUR) });
    expect(merchant.received[0]?.headers).toMatchObject({
      "webhook-timestamp": String((START_MS - HOUR) / 1000),
    });
  });

  it("does not go back by a restart, and catches up as soon as the wall clock does", async () => {
    await using folder = await createFolder();
    const stateFile = folder.at("state.json");
    const first = await startSandbox({ stateFile });
    const { createdAt } = await first.payins.create();
    await first.close();
    hands.wallMs -= HOUR;
    const report = vi.fn<(line: string) => void>();
    await using second = await startSandbox({ stateFile, report });
    expect(second.clock.nowMs()).toBe(START_MS);
    expect(report.mock.calls).toEqual([
      [expect.stringMatching(/is 3600 s behind .* continues at 2026-11-21T12:00:00.000Z/)],
    ]);
    pass(5000);

    expect(second.clock.nowMs()).toBe(Date.parse(createdAt) + 5000);
    hands.wallMs += HOUR;
    expect(second.clock.nowMs()).toBe(hands.wallMs);
  });
});

describe("a sandbox whose wall clock is set forward an hour, or whose machine was suspended", () => {
  it("lets what is due happen within a second or two, without a call", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox({ assumptions: { "payin.expiry_event": "webhook" } });
    await sandbox.payins.create({ webhookUrl: merchant.url, expiration: 3600 });
    hands.wallMs += HOUR;

    const [expired] = await merchant.waitFor(1);
    expect(expired?.body).toContain("payin.expired");
  });
});

function pass(ms: number): void {
  hands.wallMs += ms;
  hands.monotonicMs += ms;
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

import { createRequire } from "node:module";
import { restore, useFakeTimers } from "sinon";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as api from "../../../src/index.ts";
import { createFolder } from "../../support/folder.ts";
import { startMerchant } from "../../support/merchant.ts";

/**
 * All that can be faked, except what Node itself calls: with a fake `process.nextTick` its sockets stand still, and
 * with a fake `queueMicrotask` the body of a `Response` has no end.
 */
const FAKED = [
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "clearImmediate",
  "performance",
  "hrtime",
  "Date",
] as const;

const LIBRARIES = {
  vitest: () => void vi.useFakeTimers({ toFake: [...FAKED], now: 0 }),
  sinon: () => void useFakeTimers({ toFake: [...FAKED], now: 0 }),
};

/** In what is published, the real timers are those of the packages inside as well. */
const published = createRequire(import.meta.url)("../../../dist/index.cjs") as typeof api;

afterEach(() => {
  vi.useRealTimers();
  restore();
});

describe.each(Object.entries(LIBRARIES))("under the fake timers of %s", (_name, install) => {
  it("a sandbox starts, delivers, advances its clock and closes", async () => {
    install();
    await play(api);
    expect(Date.now()).toBe(0);
  });

  it("a sandbox that started before continues, and so does a client", async () => {
    await using sandbox = await published.startSandbox();
    const client = published.createClient({ baseUrl: sandbox.url });
    install();
    for (const view of [sandbox, client]) {
      const { id } = await view.payins.create({ webhookUrl: `${sandbox.url}/nowhere` });
      await view.payins.pay(id);
      await view.settled();
      const wait = view.webhooks.waitFor({ transactionId: id, timeoutMs: 1 });
      await expect(wait).rejects.toBeInstanceOf(published.WaitTimeoutError);

      await using hook = await view.receiver();
      const paid = await view.payins.create({ webhookUrl: hook.url });
      await view.payins.pay(paid.id);
      expect(await hook.next()).toMatchObject({ transactionId: paid.id, isVerified: true });
      const next = hook.next("payin.paid", { timeoutMs: 1 });
      await expect(next).rejects.toBeInstanceOf(published.ReceiverTimeoutError);
    }
  });
});

/** Comes last: what the package loads lazily is loaded a second time from then on. */
describe.each(Object.entries(LIBRARIES))("under the fake timers of %s", (_name, install) => {
  it("the package can be imported", async () => {
    vi.resetModules();
    install();
    await play(await import("../../../src/index.ts"));
  });
});

/** With a state file, whose journal has timers too. */
async function play({ startSandbox }: typeof api): Promise<void> {
  await using merchant = await startMerchant();
  await using folder = await createFolder();
  const sandbox = await startSandbox({ stateFile: folder.at("state.json") });
  const paid = await sandbox.payins.create({ webhookUrl: merchant.url });
  await sandbox.faults.once("payins.create", "latency_ms=1");
  const unpaid = await sandbox.payins.create({ webhookUrl: merchant.url });
  await sandbox.payins.pay(paid.id);
  const { body } = await sandbox.webhooks.waitFor({ transactionId: paid.id });
  const { happened } = await sandbox.clock.advance({ minutes: 5 });
  const events = await sandbox.fetch("/_sandbox/events");
  await sandbox.close();

  expect(paid.createdAt).not.toMatch(/^1970/);
  expect(happened).toMatchObject([{ data: { id: unpaid.id } }]);
  expect(merchant.received).toMatchObject([{ body }]);
  expect(Number(merchant.received[0]?.headers["webhook-timestamp"])).toBeGreaterThan(0);
  expect(events.status).toBe(200);
}

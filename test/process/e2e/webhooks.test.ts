import { describe, expect, it } from "vitest";
import { serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { type Calls, callsTo, type Shown } from "../../support/calls.ts";
import { type Answer, type Merchant, startMerchant, verified } from "../../support/merchant.ts";

function startFrozen(...args: string[]) {
  return serveMain(["--memory", "--clock", "frozen", ...args]);
}

describe("the address of a webhook", { timeout: 60_000 }, () => {
  it("is stored as a whole: its query is sent, its fragment is not", async () => {
    await using merchant = await startMerchant();
    await failOnce(merchant.at("/hook/a%20b?order=1&x=%26#part"));

    expect(merchant.received.map(({ path }) => path)).toEqual(["/hook/a%20b?order=1&x=%26"]);
  });
});

describe("a configured webhook", { timeout: 60_000 }, () => {
  it("receives payments received and failed, in addition to each transaction's own address", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    const webhook_url = merchant.at("/own");
    const configuration = {
      webhook_url: merchant.at("/all"),
      events: ["payment.received", "payment.failed"],
    };
    expect((await calls.gateway("GET", "/v1/webhooks")).status).toBe(404);
    const configured = await calls.gateway("PUT", "/v1/webhooks", configuration);
    expect([configured.status, configured.body]).toEqual([200, configuration]);

    const { body: paid } = await calls.createPayin({ webhook_url });
    await calls.simulate("payin", paid.id);
    const { body: canceledPayin } = await calls.createPayin({ webhook_url });
    await calls.control("POST", `/payins/${canceledPayin.id}/cancel`);
    const { body: expired } = await calls.createPayin({ webhook_url });
    await calls.control("POST", `/payins/${expired.id}/expire`);
    const { body: completed } = await calls.createPayout({ webhook_url });
    const { body: canceled } = await calls.createPayout({ webhook_url });
    await calls.simulate("payout", completed.id);

    const webhooks = await merchant.waitFor(8);
    await calls.advance(0);
    const told = (path: string): unknown[] =>
      webhooks
        .filter((webhook) => webhook.path === path)
        .map((webhook) => verified(webhook, sandbox.secret))
        .map(({ type, data }) => [type, data["id"]]);
    expect(told("/own")).toEqual([
      ["payin.paid", paid.id],
      ["payout.canceled", canceled.id],
      ["payout.completed", completed.id],
    ]);
    expect(told("/all")).toEqual([
      ["payment.received", paid.id],
      ["payment.failed", canceledPayin.id],
      ["payment.failed", expired.id],
      ["payment.failed", canceled.id],
      ["payment.received", completed.id],
    ]);
    expect(new Set(idsOf(merchant)).size).toBe(8);
  });
});

describe("a sandbox that stops", { timeout: 60_000 }, () => {
  it("begins no more attempts, and the next start makes them", async () => {
    await using folder = await createFolder();
    let letGo = (): void => undefined;
    const held = new Promise<Answer>((resolve) => {
      letGo = () => resolve(200);
    });
    await using merchant = await startMerchant({
      answer: (_, index) => (index === 0 ? held : 200),
    });
    const state = ["--state", folder.at("state.json")];
    await using first = await serveMain(state);
    const calls = callsTo(first.url);
    const payinIds: string[] = [];
    for (let count = 0; count < 5; count++) payinIds.push(await payOne(calls, merchant.url));
    await merchant.waitFor(1);
    const stopped = first.stop();
    // Its port refuses: the stop has begun.
    await expect(untilRefused(first.url)).resolves.toBeUndefined();
    letGo();
    expect((await stopped).code).toBe(0);
    const countAtStop = merchant.received.length;
    expect(countAtStop).toBeLessThan(5);

    await using second = await serveMain(state);
    await merchant.waitFor(5);
    await callsTo(second.url).advance(60);
    const told = merchant.received.map((one) => verified(one, second.secret).data["id"]);
    // One that was cut short in the middle of its answer would be sent again: at least once is the promise.
    expect([...new Set(told)]).toEqual(payinIds);
  });
});

/** Creates a payin and simulates that it is paid. */
async function payOne(calls: Calls, webhookUrl: string): Promise<string> {
  const { body } = await calls.createPayin({ webhook_url: webhookUrl });
  await calls.simulate("payin", body.id);
  return body.id;
}

/** One attempt at that address, and the delivery once it has ended. */
async function failOnce(webhookUrl: string, ...args: string[]): Promise<Shown | undefined> {
  await using sandbox = await startFrozen("--assume", "webhook.retries=none", ...args);
  const calls = callsTo(sandbox.url);
  await payOne(calls, webhookUrl);
  await calls.advance(0);
  return (await calls.deliveries())[0];
}

function idsOf(merchant: Merchant): (string | undefined)[] {
  return merchant.received.map(({ headers }) => headers["webhook-id"]);
}

async function untilRefused(url: string): Promise<void> {
  for (;;) {
    try {
      await (await fetch(`${url}/_sandbox/health`, { headers: { connection: "close" } })).text();
    } catch {
      return;
    }
  }
}

import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";
import { serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { freePort, type RunOptions } from "../../support/process.ts";
import { type Calls, callsTo, type Shown } from "../../support/calls.ts";
import { type Answer, type Merchant, startMerchant, verified } from "../../support/merchant.ts";

const HUNDRED = Array.from({ length: 100 }, (_, index) => index);
/** Loaded into the sandbox's process ahead of the program. */
const BOTH_LOOPBACKS = new URL("both-loopbacks.js", import.meta.url).href;

function startFrozen(...args: string[]) {
  return serveMain(["--memory", "--clock", "frozen", ...args]);
}

describe("the retries of a webhook", { timeout: 60_000 }, () => {
  it("are made 1, 5 and 25 s after the attempt before, and then it has failed", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using sandbox = await startFrozen();
    const calls = callsTo(sandbox.url);
    await payOne(calls, merchant.url);

    const counts: number[] = [];
    for (const seconds of [0, 0.999, 0.001, 4.999, 0.001, 24.999, 0.001, 3600]) {
      await calls.advance(seconds);
      counts.push(merchant.received.length);
    }
    expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
    const [delivery] = await calls.deliveries();
    expect(delivery).toMatchObject({ status: "failed", next_attempt_at: null });
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([500, 500, 500, 500]);
  });

  it("carry the same id and the same bytes, each with a signature of its own time", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using sandbox = await startFrozen("--now", "2020-02-29T12:00:00Z");
    const calls = callsTo(sandbox.url);
    await payOne(calls, merchant.url);
    const startedAt = Math.floor(Date.now() / 1000);
    await calls.advance(31);

    const attempts = await merchant.waitFor(4);
    const events = attempts.map((attempt) => verified(attempt, sandbox.secret));
    expect(events[0]?.created_at).toBe("2020-02-29T12:00:00.000Z");
    expect(new Set(attempts.map(({ body }) => body)).size).toBe(1);
    for (const { headers } of attempts) {
      expect(headers["webhook-id"]).toBe(events[0]?.id);
      expect(Math.abs(Number(headers["webhook-timestamp"]) - startedAt)).toBeLessThan(60);
    }
  });

  it("end once the merchant has recovered", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index < 2 ? 503 : 200) });
    await using sandbox = await startFrozen();
    const calls = callsTo(sandbox.url);
    await payOne(calls, merchant.url);
    await calls.advance(3600);

    expect(merchant.received).toHaveLength(3);
    const [delivery] = await calls.deliveries();
    expect(delivery?.status).toBe("delivered");
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([503, 503, 200]);
  });

  it("all happen in one move of the clock, and are reported in order", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using sandbox = await startFrozen("--now", "2026-11-21T12:00:00Z");
    const calls = callsTo(sandbox.url);
    await payOne(calls, merchant.url);
    await calls.advance(0);
    const { happened } = await calls.control<{ happened: { at: string; kind: string }[] }>(
      "POST",
      "/clock/advance",
      { seconds: 60 },
    );

    expect(happened.map(({ at, kind }) => [kind, at])).toEqual([
      ["attempt", "2026-11-21T12:00:01.000Z"],
      ["attempt", "2026-11-21T12:00:06.000Z"],
      ["attempt", "2026-11-21T12:00:31.000Z"],
    ]);
  });

  it("are none with webhook.retries=none", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using sandbox = await startFrozen("--assume", "webhook.retries=none");
    const calls = callsTo(sandbox.url);
    await payOne(calls, merchant.url);
    await calls.advance(86_400);

    expect(merchant.received).toHaveLength(1);
    expect(await calls.deliveries()).toMatchObject([{ status: "failed", attempts: [{}] }]);
  });

  it("go on for days with webhook.retries=production", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using sandbox = await startFrozen("--assume", "webhook.retries=production");
    const calls = callsTo(sandbox.url);
    await payOne(calls, merchant.url);

    const waits = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    const counts: number[] = [];
    for (const seconds of waits) {
      await calls.advance(seconds);
      counts.push(merchant.received.length);
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await calls.deliveries()).toMatchObject([{ status: "failed" }]);
  });

  it("come by themselves on a real clock", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index === 0 ? 500 : 200) });
    await using sandbox = await serveMain();
    await payOne(callsTo(sandbox.url), merchant.url);
    const [first, second] = await merchant.waitFor(2);

    expect(second?.body).toBe(first?.body);
    expect(second && verified(second, sandbox.secret).type).toBe("payin.paid");
  });
});

describe("first attempts to one address", { timeout: 60_000 }, () => {
  it("arrive in the order of the events: a hundred payins simulated at once", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    const payins = await Promise.all(
      HUNDRED.map(() => calls.createPayin({ webhook_url: merchant.url })),
    );
    await Promise.all(payins.map(({ body }) => calls.simulate("payin", body.id)));

    const webhooks = await merchant.waitFor(100);
    await calls.advance(0);
    expect(idsOf(merchant)).toEqual((await calls.deliveries()).map(({ id }) => id));
    const told = webhooks.map((webhook) => verified(webhook, sandbox.secret).data["id"]);
    expect(told.toSorted()).toEqual(payins.map(({ body }) => body.id).toSorted());
  });

  it("report each of 99 canceled payouts once and in order: a hundred created at once for one receiver", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    const payouts = await Promise.all(
      HUNDRED.map(() => calls.createPayout({ webhook_url: merchant.url })),
    );
    expect(payouts.map(({ status, body }) => [status, body.status])).toEqual(
      HUNDRED.map(() => [200, "waiting"]),
    );

    const webhooks = await merchant.waitFor(99);
    await calls.advance(0);
    expect(idsOf(merchant)).toEqual((await calls.deliveries()).map(({ id }) => id));
    const events = webhooks.map((webhook) => verified(webhook, sandbox.secret));
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["payout.canceled"]));
    const canceled = new Set(events.map(({ data }) => data["id"]));
    expect(canceled.size).toBe(99);
    const { data: waiting } = await calls.control<{ data: Shown[] }>(
      "GET",
      "/payouts?status=waiting",
    );
    expect(waiting).toHaveLength(1);
    expect(canceled.has(waiting[0]?.id)).toBe(false);
  });

  it("are not held back by one that failed", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index === 0 ? 500 : 200) });
    await using sandbox = await startFrozen();
    const calls = callsTo(sandbox.url);
    const first = await payOne(calls, merchant.url);
    const second = await payOne(calls, merchant.url);
    await calls.advance(0);

    const deliveries = await calls.deliveries();
    expect(deliveries.map(({ transaction_id, status }) => [transaction_id, status])).toEqual([
      [first, "pending"],
      [second, "delivered"],
    ]);
  });

  it("are not held back for long by one that is not answered", async () => {
    await using merchant = await startMerchant({
      answer: (_, index) => (index === 0 ? "hold" : 200),
    });
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    await payOne(calls, merchant.url);
    const second = await payOne(calls, merchant.url);
    const [, webhook] = await merchant.waitFor(2);

    expect(webhook && verified(webhook, sandbox.secret).data["id"]).toBe(second);
    expect((await calls.deliveries()).map(({ attempts }) => attempts.length)).toContain(0);
  });
});

describe("a merchant that does not answer", { timeout: 60_000 }, () => {
  it("holds back no other address", async () => {
    await using slow = await startMerchant({ answer: "hold" });
    await using quick = await startMerchant();
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    await payOne(calls, slow.url);
    await slow.waitFor(1);
    await payOne(calls, quick.url);
    await quick.waitFor(1);

    expect(await calls.deliveries()).toMatchObject([{ attempts: [] }, { url: quick.url }]);
  });

  it("holds back no other address, not even with a hundred of its own", async () => {
    await using slow = await startMerchant({ answer: "hold" });
    await using quick = await startMerchant();
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    for (const order of HUNDRED) await payOne(calls, slow.at(`/orders/${order}`));
    await payOne(calls, quick.url);
    await quick.waitFor(1);

    const held = (await calls.deliveries()).filter(({ url }) => url !== quick.url);
    expect(new Set(held.map(({ attempts }) => attempts.length))).toEqual(new Set([0]));
  });

  it("holds back none of its own paths, other receivers and integrations, 20 of it at once", async () => {
    await using merchant = await startMerchant({
      answer: ({ path }) => (path.startsWith("/hangs") ? "hold" : 200),
    });
    await using other = await startMerchant();
    // An attempt that hangs stays open for the whole test.
    await using sandbox = await serveMain(["--memory", "--assume", "webhook.timeout_seconds=3600"]);
    const calls = callsTo(sandbox.url);
    for (let count = 0; count < 20; count++) await payOne(calls, merchant.at(`/hangs/${count}`));
    for (const url of [merchant.at("/healthy"), other.url]) await payOne(calls, url);
    await payOne(callsTo(sandbox.url, "another"), merchant.at("/another"));
    await merchant.waitFor(2, ({ path }) => path === "/healthy" || path === "/another");
    await other.waitFor(1);

    await merchant.waitFor(20, ({ path }) => path.startsWith("/hangs"));
    const hanging = (await calls.deliveries()).filter(({ url }) => url.includes("/hangs"));
    expect(hanging.map(({ attempts }) => attempts.length)).toEqual(Array(20).fill(0));
  });

  it("is given up after webhook.timeout_seconds", async () => {
    await using merchant = await startMerchant({ answer: "hold" });
    const delivery = await failOnce(merchant.url, "--assume", "webhook.timeout_seconds=1");

    expect(delivery?.attempts[0]?.error).toMatch(/within 1 s/);
  });
});

describe("the answer to a webhook", { timeout: 60_000 }, () => {
  it.each([200, 201, 202, 204, 299])("is success with %i", async (status) => {
    await using merchant = await startMerchant({ answer: status });
    expect(await failOnce(merchant.url)).toMatchObject({
      status: "delivered",
      attempts: [{ status }],
    });
  });

  it.each([400, 401, 404, 410, 429, 500, 503])("is failure with %i", async (status) => {
    await using merchant = await startMerchant({ answer: status });
    expect(await failOnce(merchant.url)).toMatchObject({
      status: "failed",
      attempts: [{ status }],
    });
  });

  it.each([301, 302, 303, 307, 308])(
    "is failure with the redirect %i; webhooks do not follow redirects",
    async (status) => {
      await using elsewhere = await startMerchant();
      const answer: Answer = { status, headers: { location: elsewhere.url } };
      await using merchant = await startMerchant({ answer });

      expect(await failOnce(merchant.url)).toMatchObject({
        status: "failed",
        attempts: [{ status }],
      });
      expect(elsewhere.received).toEqual([]);
    },
  );

  it("is stored up to the limit", async () => {
    await using merchant = await startMerchant({
      answer: { status: 500, body: "x".repeat(1_000_000) },
    });
    const delivery = await failOnce(merchant.url);
    const response = delivery?.attempts[0]?.response;

    expect(response).toMatch(/^x+$/);
    expect(response?.length).toBeLessThan(100_000);
  });
});

describe("the reason of an attempt without a response", { timeout: 60_000 }, () => {
  it("is ECONNREFUSED if nothing listens", async () => {
    const port = await freePort();
    const delivery = await failOnce(`http://127.0.0.1:${port}/hook`);

    expect(delivery?.attempts[0]?.error).toMatch(
      new RegExp(`ECONNREFUSED.*127\\.0\\.0\\.1:${port}`),
    );
    expect(delivery?.attempts[0]?.status).toBeUndefined();
  });

  it("is ECONNRESET if the connection breaks", async () => {
    await using merchant = await startMerchant({ answer: "reset" });
    expect((await failOnce(merchant.url))?.attempts[0]?.error).toMatch(/ECONNRESET/);
    expect(merchant.received).toHaveLength(1);
  });

  it("records a response that is not HTTP", async () => {
    await using merchant = await startMerchant({ answer: "nonsense" });
    expect((await failOnce(merchant.url))?.attempts[0]?.error).toMatch(/HPE_|Parse Error/);
  });

  it("is ENOTFOUND if the name does not exist", async () => {
    const delivery = await failOnce("http://nobody.invalid/hook");
    expect(delivery?.attempts[0]?.error).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });
});

describe("the address of a webhook", { timeout: 60_000 }, () => {
  it.each([
    ["IPv4", "127.0.0.1"],
    ["IPv6", "::1"],
  ])("may be localhost where the merchant listens on %s alone", async (_family, host) => {
    await using merchant = await startMerchant({ host, name: "localhost" });
    const options = { env: { NODE_OPTIONS: `--import=${BOTH_LOOPBACKS}` } };
    await using sandbox = await startServe(["--memory"], options satisfies RunOptions);
    const payinId = await payOne(callsTo(sandbox.url), merchant.url);
    const [webhook] = await merchant.waitFor(1);

    expect(webhook && verified(webhook, sandbox.secret).data["id"]).toBe(payinId);
    expect(webhook?.headers["host"]).toBe(`localhost:${merchant.port}`);
  });

  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::1", "::1"],
  ])("may be %s", async (_title, host) => {
    await using merchant = await startMerchant({ host });
    expect(await failOnce(merchant.url)).toMatchObject({ status: "delivered" });
  });

  it("may have a port that browsers refuse", async () => {
    const refused = [6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10_080, 5060, 5061];
    await using merchant = await startMerchant({ port: await firstFree(refused) });
    await expect(fetch(merchant.url)).rejects.toThrow("fetch failed");

    expect(await failOnce(merchant.url)).toMatchObject({ status: "delivered" });
  });

  it("is stored as a whole: its query is sent, its fragment is not", async () => {
    await using merchant = await startMerchant();
    await failOnce(merchant.at("/hook/a%20b?order=1&x=%26#part"));

    expect(merchant.received.map(({ path }) => path)).toEqual(["/hook/a%20b?order=1&x=%26"]);
  });

  it("may hold a name and a password, which are sent as such", async () => {
    await using merchant = await startMerchant();
    const address = `http://shop:pa%3Ass@127.0.0.1:${merchant.port}/hook`;
    await failOnce(address);

    const credentials = Buffer.from("shop:pa:ss").toString("base64");
    expect(merchant.received[0]?.headers["authorization"]).toBe(`Basic ${credentials}`);
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

  it("receives only the events that it subscribes to", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    const calls = callsTo(sandbox.url);
    await calls.gateway("PUT", "/v1/webhooks", {
      webhook_url: merchant.at("/all"),
      events: ["payment.failed"],
    });
    const payinId = await payOne(calls, merchant.at("/own"));
    const { body: canceled } = await calls.createPayin({ webhook_url: merchant.at("/own") });
    await calls.control("POST", `/payins/${canceled.id}/cancel`);
    await merchant.waitFor(2);
    await calls.advance(0);

    const told = merchant.received.map((one) => [
      one.path,
      verified(one, sandbox.secret).data["id"],
    ]);
    expect(told.toSorted()).toEqual([
      ["/all", canceled.id],
      ["/own", payinId],
    ]);
  });

  it("receives only its own integration's events", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    await callsTo(sandbox.url, "one").gateway("PUT", "/v1/webhooks", {
      webhook_url: merchant.at("/all"),
      events: ["payment.received"],
    });
    const another = callsTo(sandbox.url, "another");
    await payOne(another, merchant.at("/own"));
    await merchant.waitFor(1);
    await another.advance(0);

    expect(merchant.received.map(({ path }) => path)).toEqual(["/own"]);
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

async function firstFree(ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error(`None of the ports ${ports.join(", ")} is free.`);
}

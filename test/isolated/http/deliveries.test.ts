import { afterEach, describe, expect, it, vi } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/server/start.ts";
import { startCall } from "../../support/started-call.ts";
import { deferred, turns, watch } from "../../support/core.ts";
import { type Answered, callsTo, type Shown } from "../../support/calls.ts";
import { type Merchant, startMerchant, verified } from "../../support/merchant.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

const START = new Date("2026-11-21T12:00:00Z");
const UNKNOWN_ID = "evt_0123456789abcdef0123456789abcdef";

/** What there was in place of a delivery that was waited for. */
interface Seen {
  readonly id: string;
  readonly type: string;
  readonly transaction_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly last: number | string | null;
}

interface Refusal {
  readonly message: string;
  readonly code: string;
  readonly errors: readonly { readonly field: string; readonly code: string }[];
  readonly seen?: readonly Seen[];
}

describe("a parameter that is misspelled or empty", () => {
  it.each([
    ["GET", "/wait?type=payin.paid&transactionid=1&timeout_ms=0", "transactionid"],
    ["GET", "/wait?status=failed&timeout_ms=0", "status"],
    ["GET", "/wait?transaction_id=&timeout_ms=0", "transaction_id"],
    ["GET", "/deliveries?state=failed", "state"],
    ["GET", "/deliveries?type=", "type"],
    ["POST", "/deliveries/resend?statuss=failed", "statuss"],
  ])("does not mean all of them: %s %s", async (method, path, field) => {
    await using sandbox = await startSandbox();
    expect(await ask(sandbox, method, path)).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_ERROR", errors: [{ field }] },
    });
  });
});

describe("a webhook", () => {
  it.each([
    ["by default", {}, "delivered"],
    ["with webhookAllow all", { webhookAllow: "all" }, "delivered"],
    ["not with webhookAllow loopback", { webhookAllow: "loopback" }, "failed"],
  ] as const)("goes to another address than loopback: %s", async (_title, options, status) => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox({ ...options, clock: "frozen" });
    // It reaches this machine, and is not one of its loopback addresses.
    await payOne(sandbox, { url: `http://0.0.0.0:${merchant.port}/hook` });
    await settled(sandbox);

    const [delivery] = await deliveriesOf(sandbox);
    // An address that is not allowed is not tried again.
    expect([delivery?.status, delivery?.attempts.length]).toEqual([status, 1]);
    expect(merchant.received).toHaveLength(status === "delivered" ? 1 : 0);
  });

  it.each([
    ["only with webhookInsecure", true, "delivered", { status: 200 }],
    [
      "else the error names it",
      false,
      "failed",
      { error: expect.stringContaining("self-signed certificate; --webhook-insecure accepts it") },
    ],
  ] as const)(
    "goes to a receiver with a self-signed certificate: %s",
    async (_title, webhookInsecure, status, attempt) => {
      await using receiver = await startSandbox({ https: true });
      await using sandbox = await startSandbox({
        webhookInsecure,
        assumptions: { "webhook.retries": "none" },
      });
      await payOne(sandbox, { url: `${receiver.url}/_sandbox/sink/one` });
      await settled(sandbox);

      expect(await deliveriesOf(sandbox)).toMatchObject([{ status, attempts: [attempt] }]);
    },
  );
});

describe("POST /_sandbox/deliveries/{id}/resend", () => {
  afterEach(() => void vi.useRealTimers());

  it("sends the same id and bytes, with the time of its own attempt and a signature that holds", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: START });
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox();
    await payOne(sandbox, merchant);
    await settled(sandbox);
    vi.setSystemTime(START.getTime() + 3_600_000);
    const [{ id } = { id: "" }] = await deliveriesOf(sandbox);
    const { status, body } = await ask<Shown>(sandbox, "POST", `/deliveries/${id}/resend`);

    const [first, second] = merchant.received;
    expect(status).toBe(200);
    expect(body).toEqual((await deliveriesOf(sandbox))[0]);
    expect(body.attempts).toMatchObject([{ status: 200 }, { status: 200, resend: true }]);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(id);
    const seconds = START.getTime() / 1000;
    expect(first?.headers["webhook-timestamp"]).toBe(String(seconds));
    expect(second?.headers["webhook-timestamp"]).toBe(String(seconds + 3600));
    expect(second && verified(second, sandbox.secret).id).toBe(id);
  });

  it("answers when its attempt has ended", async () => {
    const { promise: answer, resolve } = deferred<number>();
    await using merchant = await startMerchant({
      answer: (_, index) => (index === 0 ? 200 : answer),
    });
    await using sandbox = await startSandbox();
    await payOne(sandbox, merchant);
    await settled(sandbox);
    const [{ id } = { id: "" }] = await deliveriesOf(sandbox);
    const resending = ask<Shown>(sandbox, "POST", `/deliveries/${id}/resend`);
    const resent = watch(resending);
    await merchant.waitFor(2);
    await turns();

    expect(resent.isSettled).toBe(false);
    resolve(503);
    expect((await resending).body.attempts).toMatchObject([{ status: 200 }, { status: 503 }]);
  });

  it.each([
    ["there is none", undefined],
    ["it is another integration's", "another"],
  ])("is a 404 where %s", async (_title, token) => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox();
    await payOne(sandbox, merchant);
    await settled(sandbox);
    const [{ id } = { id: "" }] = await deliveriesOf(sandbox);
    const path = `/deliveries/${token === undefined ? UNKNOWN_ID : id}/resend`;

    expect(await ask(sandbox, "POST", path, { token })).toMatchObject({ status: 404 });
    expect(merchant.received).toHaveLength(1);
  });
});

describe("POST /_sandbox/deliveries/resend", () => {
  /** Two of one integration, of which the first has failed, and one of another. */
  const startBoth = async () => {
    const merchant = await startMerchant({ answer: (_, index) => (index === 0 ? 500 : 200) });
    const sandbox = await startSandbox({ assumptions: { "webhook.retries": "none" } });
    const ids = [
      await payOne(sandbox, merchant),
      await cancelOne(sandbox, merchant),
      await payOne(sandbox, merchant, "another"),
    ];
    await settled(sandbox);
    const close = async (): Promise<void> => {
      await sandbox.close();
      await merchant.close();
    };
    return { merchant, sandbox, ids, [Symbol.asyncDispose]: close };
  };

  it.each([
    ["of a status, by the query", "?status=failed", undefined, [0]],
    ["of a status, by the body", "", { status: "delivered" }, [1, 2]],
    ["of a type", "?type=payin.paid", undefined, [0, 2]],
    ["of a type and a status together", "?type=payin.paid", { status: "delivered" }, [2]],
    ["of a type that there is none of", "?type=payin.expired", undefined, []],
    ["of all, where nothing is said", "", undefined, [0, 1, 2]],
  ])("resends those %s", async (_title, query, body, expected) => {
    await using both = await startBoth();
    const { merchant, sandbox, ids } = both;
    const answer = await ask<{ data: Shown[]; next: null }>(
      sandbox,
      "POST",
      `/deliveries/resend${query}`,
      { body },
    );

    expect(answer.body.data.map(({ transaction_id }) => transaction_id)).toEqual(
      expected.map((index) => ids[index]),
    );
    expect(answer.body.next).toBeNull();
    expect(merchant.received).toHaveLength(3 + expected.length);
    expect(new Set(answer.body.data.map(({ attempts }) => attempts.length))).toEqual(
      new Set(expected.length === 0 ? [] : [2]),
    );
  });

  it("resends only those of one integration, with its token", async () => {
    await using both = await startBoth();
    const { sandbox, ids } = both;
    const { body } = await ask<{ data: Shown[] }>(sandbox, "POST", "/deliveries/resend", {
      token: "another",
    });

    expect(body.data.map(({ transaction_id }) => transaction_id)).toEqual([ids[2]]);
  });

  it.each([
    ["?status=burnt", undefined, "status"],
    ["", { status: "burnt" }, "status"],
    ["", { type: 5 }, "type"],
    ["", { transaction_id: {} }, "transaction_id"],
  ])("refuses %j %j and names the field", async (query, body, field) => {
    await using sandbox = await startSandbox();
    expect(await ask(sandbox, "POST", `/deliveries/resend${query}`, { body })).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_ERROR", errors: [{ field, code: "INVALID_VALUE" }] },
    });
  });
});

describe("GET /_sandbox/wait", () => {
  it("returns an earlier delivery, the newest of several", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox();
    await payOne(sandbox, merchant);
    const newest = await payOne(sandbox, merchant);
    await settled(sandbox);
    const { status, body } = await ask<Shown>(sandbox, "GET", "/wait?type=payin.paid&timeout_ms=0");

    expect([status, body.transaction_id]).toEqual([200, newest]);
    expect(body).toEqual((await deliveriesOf(sandbox))[1]);
  });

  it("answers the newest that was delivered, not one that was not", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index === 1 ? 500 : 200) });
    await using sandbox = await startSandbox({ assumptions: { "webhook.retries": "none" } });
    const first = await payOne(sandbox, merchant);
    await payOne(sandbox, merchant);
    await settled(sandbox);
    const { body } = await ask<Shown>(sandbox, "GET", "/wait?type=payin.paid&timeout_ms=0");

    expect(body.transaction_id).toBe(first);
  });

  it("answers one that comes meanwhile, as soon as it is delivered", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index === 0 ? 500 : 200) });
    await using sandbox = await startSandbox({ clock: "frozen" });
    await using waiting = await startCall(
      sandbox.url,
      "GET",
      "/wait?type=payin.paid&timeout_ms=60000",
    );
    const answered = watch(waiting.answer);
    const payinId = await payOne(sandbox, merchant);
    await settled(sandbox);
    await turns();
    expect(answered.isSettled).toBe(false);

    await callsTo(sandbox.url).advance(1);
    expect(await waiting.answer).toMatchObject({
      status: 200,
      body: { transaction_id: payinId, status: "delivered", attempts: [{}, { status: 200 }] },
    });
  });

  it("returns none of another type, transaction or integration", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox();
    const meant = (await callsTo(sandbox.url).createPayin({ webhook_url: merchant.url })).body.id;
    const path = `/wait?type=payin.paid&timeout_ms=60000`;
    await using mine = await startCall(sandbox.url, "GET", path, "shop");
    await using one = await startCall(sandbox.url, "GET", `${path}&transaction_id=${meant}`);
    const answered = [watch(mine.answer), watch(one.answer)];
    await payOne(sandbox, merchant, "another");
    await cancelOne(sandbox, merchant);
    await settled(sandbox);
    await turns();
    expect(answered.map(({ isSettled }) => isSettled)).toEqual([false, false]);

    await callsTo(sandbox.url).simulate("payin", meant);
    for (const { answer } of [mine, one])
      expect(await answer).toMatchObject({ status: 200, body: { transaction_id: meant } });
  });

  it("takes the id of a transaction or of the webhook, and no type at all", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox();
    const first = await payOne(sandbox, merchant);
    await payOne(sandbox, merchant);
    await settled(sandbox);
    const [{ id } = { id: "" }] = await deliveriesOf(sandbox);

    for (const query of [`id=${id}`, `transaction_id=${first}`, `type=payin.paid&id=${id}`])
      expect(await ask(sandbox, "GET", `/wait?${query}&timeout_ms=0`)).toMatchObject({
        status: 200,
        body: { id, transaction_id: first },
      });
    expect((await ask(sandbox, "GET", "/wait?timeout_ms=0")).status).toBe(200);
  });

  it("lists the existing webhooks after a timeout, the nearest first", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index === 0 ? 500 : 200) });
    await using sandbox = await startSandbox({ clock: "frozen" });
    const payinId = await payOne(sandbox, merchant);
    const payoutId = await cancelOne(sandbox, merchant);
    await payOne(sandbox, merchant, "another");
    await settled(sandbox);
    const path = `/wait?type=payin.paid&transaction_id=${payinId}&timeout_ms=0`;
    const { status, body } = await ask(sandbox, "GET", path, { token: "shop" });

    expect(status).toBe(408);
    expect(body).toEqual({
      code: "NOT_PROCESSABLE",
      errors: [],
      message: `No payin.paid of ${payinId} was delivered within 0 ms. Seen instead: payin.paid ${payinId} (pending, 500); payout.canceled ${payoutId} (delivered, 200).`,
      seen: [
        expect.objectContaining({ transaction_id: payinId, status: "pending", last: 500 }),
        expect.objectContaining({ transaction_id: payoutId, status: "delivered", last: 200 }),
      ],
      seed: sandbox.seed,
    });
    expect(body.seen?.[0]).toMatchObject({ type: "payin.paid", attempts: 1 });
  });

  it.each(["-1", "600001", "1.5", ""])("refuses the time-out %j", async (text) => {
    await using sandbox = await startSandbox();
    expect(await ask(sandbox, "GET", `/wait?timeout_ms=${text}`)).toMatchObject({
      status: 400,
      body: { errors: [{ field: "timeout_ms", code: "INVALID_VALUE" }] },
    });
  });

  it("is answered with 503 by a sandbox that stops, which it does not hold up", async () => {
    await using sandbox = await startSandbox();
    await using waiting = await startCall(
      sandbox.url,
      "GET",
      "/wait?type=payin.paid&timeout_ms=600000",
    );
    await sandbox.close();

    expect(await waiting.answer).toMatchObject({
      status: 503,
      body: { code: "EXTERNAL_ERROR", message: "The sandbox is stopping." },
    });
  });

  it("continues for others if a caller disconnects", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox();
    const path = "/wait?type=payin.paid&timeout_ms=600000";
    await using staying = await startCall(sandbox.url, "GET", path);
    {
      await using leaving = await startCall(sandbox.url, "GET", path);
      leaving.answer.catch(() => undefined);
    }
    const payinId = await payOne(sandbox, merchant);

    expect(await staying.answer).toMatchObject({ status: 200, body: { transaction_id: payinId } });
  });
});

describe("POST /_sandbox/settle", () => {
  it("answers once the attempt in flight has ended", async () => {
    const { promise: answer, resolve } = deferred<number>();
    await using merchant = await startMerchant({ answer: () => answer });
    await using sandbox = await startSandbox({ clock: "frozen", now: START });
    await payOne(sandbox, merchant);
    await merchant.waitFor(1);
    await using settling = await startCall(sandbox.url, "POST", "/settle");
    const answered = watch(settling.answer);
    await turns();

    expect(answered.isSettled).toBe(false);
    resolve(200);
    expect(await settling.answer).toMatchObject({
      status: 200,
      body: { settled: true, now: START.toISOString(), mode: "frozen" },
    });
    expect(await deliveriesOf(sandbox)).toMatchObject([{ status: "delivered" }]);
  });

  it("does not wait for another integration's attempt, with a token", async () => {
    await using slow = await startMerchant({ answer: "hold" });
    await using quick = await startMerchant();
    await using sandbox = await startSandbox({ clock: "frozen" });
    await payOne(sandbox, slow, "another");
    await slow.waitFor(1);
    await payOne(sandbox, quick);

    expect((await ask(sandbox, "POST", "/settle", { token: "shop" })).status).toBe(200);
    expect(await deliveriesOf(sandbox)).toMatchObject([
      { status: "pending", attempts: [] },
      { status: "delivered" },
    ]);
    await slow.close();
  });
});

/** A control route: of all integrations, unless there is a token. */
async function ask<Body = Refusal>(
  sandbox: Sandbox,
  method: string,
  path: string,
  { token, body }: { token?: string | undefined; body?: unknown } = {},
): Promise<Answered<Body>> {
  const answer = await fetch(`${sandbox.url}/_sandbox${path}`, {
    method,
    headers: {
      ...(token !== undefined && { "x-api-token": token }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Body,
  };
}

async function deliveriesOf(sandbox: Sandbox): Promise<readonly Shown[]> {
  return callsTo(sandbox.url).deliveries();
}

async function settled(sandbox: Sandbox): Promise<void> {
  await callsTo(sandbox.url).control("POST", "/settle");
}

async function payOne(
  sandbox: Sandbox,
  { url }: Pick<Merchant, "url">,
  token?: string,
): Promise<string> {
  const calls = callsTo(sandbox.url, token);
  const { body } = await calls.createPayin({ webhook_url: url });
  await calls.simulate("payin", body.id);
  return body.id;
}

async function cancelOne(sandbox: Sandbox, { url }: Merchant): Promise<string> {
  const calls = callsTo(sandbox.url);
  const { body } = await calls.createPayout({ webhook_url: url });
  await calls.simulate("payout", body.id, "canceled");
  return body.id;
}

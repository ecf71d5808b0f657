import { afterEach, describe, expect, it, vi } from "vitest";
import { type SandboxOptions, startSandbox } from "../../../src/server/start.ts";
import { startCall } from "../../support/started-call.ts";
import { deferred, turns, watch } from "../../support/core.ts";
import { callsTo, type Shown } from "../../support/calls.ts";
import { call, type Json } from "../../support/gateway.ts";
import { type MerchantOptions, startMerchant, verified } from "../../support/merchant.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));

const START = new Date("2026-11-21T12:00:00Z");
const UNKNOWN_ID = "evt_0123456789abcdef0123456789abcdef";
const NO_RETRIES = { assumptions: { "webhook.retries": "none" } } as const;
/** A wait that no test lets end. */
const LONG = "/wait?type=payin.paid&timeout_ms=600000";

/** The first attempt fails, or another one. */
const failing =
  (which = 0) =>
  (_: unknown, index: number) =>
    index === which ? 500 : 200;

/** A sandbox and its merchant. */
async function start(answer: MerchantOptions["answer"] = 200, options: SandboxOptions = {}) {
  const merchant = await startMerchant({ answer });
  const sandbox = await startSandbox(options);
  const calls = callsTo(sandbox.url);
  return {
    merchant,
    sandbox,
    calls,
    pay: async (token?: string, url = merchant.url): Promise<string> => {
      const own = callsTo(sandbox.url, token);
      const { id } = (await own.createPayin({ webhook_url: url })).body;
      await own.simulate("payin", id);
      return id;
    },
    cancel: async (): Promise<string> => {
      const { id } = (await calls.createPayout({ webhook_url: merchant.url })).body;
      await calls.simulate("payout", id, "canceled");
      return id;
    },
    settle: () => calls.control("POST", "/settle"),
    deliveries: () => calls.deliveries(),
    idOfFirst: async () => (await calls.deliveries())[0]?.id ?? "",
    /** A control route: of all integrations, unless there is a token. */
    ask: async (route: string, { token, body }: { token?: string; body?: unknown } = {}) => {
      const [method = "", path = ""] = route.split(" ");
      const headers = { "x-api-token": token };
      const request = { method, path: `/_sandbox${path}`, headers, body };
      const { status, json } = await call(sandbox, request);
      return { status, body: json as Json };
    },
    begin: (path: string, token?: string) => startCall(sandbox.url, "GET", path, token),
    [Symbol.asyncDispose]: async () => {
      await merchant.close();
      await sandbox.close();
    },
  };
}

it.each<[route: string, body: unknown, field: string]>([
  ["GET /wait?type=payin.paid&transactionid=1&timeout_ms=0", undefined, "transactionid"],
  ["GET /wait?status=failed&timeout_ms=0", undefined, "status"],
  ["GET /wait?transaction_id=&timeout_ms=0", undefined, "transaction_id"],
  ...["-1", "600001", "1.5", ""].map(
    (text) => [`GET /wait?timeout_ms=${text}`, undefined, "timeout_ms"] as const,
  ),
  ["GET /deliveries?state=failed", undefined, "state"],
  ["GET /deliveries?type=", undefined, "type"],
  ["POST /deliveries/resend?statuss=failed", undefined, "statuss"],
  ["POST /deliveries/resend?status=burnt", undefined, "status"],
  ["POST /deliveries/resend", { status: "burnt" }, "status"],
  ["POST /deliveries/resend", { type: 5 }, "type"],
  ["POST /deliveries/resend", { transaction_id: {} }, "transaction_id"],
] as never)(
  "a wrong or misspelled value does not mean all of them: %s %j",
  async (route, body, field) => {
    await using world = await start();
    expect(await world.ask(route, { body })).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_ERROR", errors: [{ field, code: "INVALID_VALUE" }] },
    });
  },
);

describe("a webhook", () => {
  it.each([
    ["by default", {}, "delivered"],
    ["with webhookAllow all", { webhookAllow: "all" }, "delivered"],
    ["not with webhookAllow loopback", { webhookAllow: "loopback" }, "failed"],
  ] as const)("goes to another address than loopback: %s", async (_title, options, status) => {
    await using world = await start(200, { ...options, clock: "frozen" });
    const { pay, settle, deliveries, merchant } = world;
    // It reaches this machine, and is not one of its loopback addresses.
    await pay("shop", `http://0.0.0.0:${merchant.port}/hook`);
    await settle();
    // An address that is not allowed is not tried again.
    expect(await deliveries()).toMatchObject([{ status, attempts: [{}] }]);
    expect(merchant.received).toHaveLength(status === "delivered" ? 1 : 0);
  });

  const SELF_SIGNED = "self-signed certificate; --webhook-insecure accepts it";
  it.each([
    ["only with webhookInsecure", true, "delivered", { status: 200 }],
    ["else the error names it", false, "failed", { error: expect.stringContaining(SELF_SIGNED) }],
  ] as const)(
    "goes to a receiver with a self-signed certificate: %s",
    async (_title, webhookInsecure, status, attempt) => {
      await using receiver = await startSandbox({ https: true });
      await using world = await start(200, { ...NO_RETRIES, webhookInsecure });
      await world.pay("shop", `${receiver.url}/_sandbox/sink/one`);
      await world.settle();
      expect(await world.deliveries()).toMatchObject([{ status, attempts: [attempt] }]);
    },
  );
});

describe("POST /_sandbox/deliveries/{id}/resend", () => {
  afterEach(() => void vi.useRealTimers());

  it("sends the same id and bytes, with the time of its own attempt and a signature that holds", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: START });
    await using world = await start();
    const { merchant, sandbox, ask } = world;
    await world.pay();
    await world.settle();
    vi.setSystemTime(START.getTime() + 3_600_000);
    const id = await world.idOfFirst();
    const { status, body } = await ask(`POST /deliveries/${id}/resend`);

    const [first, second] = merchant.received;
    expect([status, body]).toEqual([200, (await world.deliveries())[0]]);
    expect(body).toMatchObject({ attempts: [{ status: 200 }, { status: 200, resend: true }] });
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(id);
    const seconds = START.getTime() / 1000;
    const times = merchant.received.map(({ headers }) => Number(headers["webhook-timestamp"]));
    expect(times).toEqual([seconds, seconds + 3600]);
    expect(second && verified(second, sandbox.secret).id).toBe(id);
  });

  it("answers when its attempt has ended", async () => {
    const { promise: answer, resolve } = deferred<number>();
    await using world = await start((_, index) => (index === 0 ? 200 : answer));
    await world.pay();
    await world.settle();
    const resending = world.ask(`POST /deliveries/${await world.idOfFirst()}/resend`);
    const resent = watch(resending);
    await world.merchant.waitFor(2);
    await turns();
    expect(resent.isSettled).toBe(false);
    resolve(503);
    expect((await resending).body).toMatchObject({ attempts: [{ status: 200 }, { status: 503 }] });
  });

  it("is a 404 where there is none, and where it is another integration's", async () => {
    await using world = await start();
    await world.pay();
    await world.settle();
    const id = await world.idOfFirst();
    expect(await world.ask(`POST /deliveries/${UNKNOWN_ID}/resend`)).toMatchObject({ status: 404 });
    const others = await world.ask(`POST /deliveries/${id}/resend`, { token: "another" });
    expect(others.status).toBe(404);
    expect(world.merchant.received).toHaveLength(1);
  });
});

/** Two deliveries of one integration, of which the first has failed, and one of another. */
it.each<[which: string, query: string, given: object, expected: number[]]>([
  ["of a status, by the query", "?status=failed", {}, [0]],
  ["of a status, by the body", "", { body: { status: "delivered" } }, [1, 2]],
  ["of a type", "?type=payin.paid", {}, [0, 2]],
  ["of both together", "?type=payin.paid", { body: { status: "delivered" } }, [2]],
  ["of a type that there is none of", "?type=payin.expired", {}, []],
  ["of all, where nothing is said", "", {}, [0, 1, 2]],
  ["of one integration, with its token", "", { token: "another" }, [2]],
])("POST /_sandbox/deliveries/resend resends those %s", async (_which, query, given, expected) => {
  await using world = await start(failing(), NO_RETRIES);
  const ids = [await world.pay(), await world.cancel(), await world.pay("another")];
  await world.settle();
  const { body } = await world.ask(`POST /deliveries/resend${query}`, given);
  const { data, next } = body as { data: Shown[]; next: null };
  expect(data.map(({ transaction_id, attempts }) => [transaction_id, attempts.length])).toEqual(
    expected.map((index) => [ids[index], 2]),
  );
  expect(next).toBeNull();
  expect(world.merchant.received).toHaveLength(3 + expected.length);
});

describe("GET /_sandbox/wait", () => {
  it.each([
    ["of several the newest", 200, 1],
    ["not one that was not delivered", failing(1), 0],
  ])("returns an earlier delivery, %s", async (_which, answer, expected) => {
    await using world = await start(answer, NO_RETRIES);
    await world.pay();
    await world.pay();
    await world.settle();
    const { status, body } = await world.ask("GET /wait?type=payin.paid&timeout_ms=0");
    expect([status, body]).toEqual([200, (await world.deliveries())[expected]]);
  });

  it("answers one that comes meanwhile, as soon as it is delivered", async () => {
    await using world = await start(failing(), { clock: "frozen" });
    await using waiting = await world.begin(LONG);
    const answered = watch(waiting.answer);
    const payinId = await world.pay();
    await world.settle();
    await turns();
    expect(answered.isSettled).toBe(false);

    await world.calls.advance(1);
    expect(await waiting.answer).toMatchObject({
      status: 200,
      body: { transaction_id: payinId, status: "delivered", attempts: [{}, { status: 200 }] },
    });
  });

  it("returns none of another type, transaction or integration", async () => {
    await using world = await start();
    const { calls, merchant } = world;
    const meant = (await calls.createPayin({ webhook_url: merchant.url })).body.id;
    await using mine = await world.begin(LONG, "shop");
    await using one = await world.begin(`${LONG}&transaction_id=${meant}`);
    const answered = [watch(mine.answer), watch(one.answer)];
    await world.pay("another");
    await world.cancel();
    await world.settle();
    await turns();
    expect(answered.map(({ isSettled }) => isSettled)).toEqual([false, false]);

    await calls.simulate("payin", meant);
    for (const { answer } of [mine, one])
      expect(await answer).toMatchObject({ status: 200, body: { transaction_id: meant } });
  });

  it("takes the id of a transaction or of the webhook, and no type at all", async () => {
    await using world = await start();
    const first = await world.pay();
    await world.pay();
    await world.settle();
    const id = await world.idOfFirst();
    for (const query of [`id=${id}`, `transaction_id=${first}`, `type=payin.paid&id=${id}`])
      expect(await world.ask(`GET /wait?${query}&timeout_ms=0`)).toMatchObject({
        status: 200,
        body: { id, transaction_id: first },
      });
    expect((await world.ask("GET /wait?timeout_ms=0")).status).toBe(200);
  });

  it("lists the existing webhooks after a timeout, the nearest first", async () => {
    await using world = await start(failing(), { clock: "frozen" });
    const payinId = await world.pay();
    const payoutId = await world.cancel();
    await world.pay("another");
    await world.settle();
    const route = `GET /wait?type=payin.paid&transaction_id=${payinId}&timeout_ms=0`;
    const { status, body } = await world.ask(route, { token: "shop" });
    const nearest = { type: "payin.paid", status: "pending", attempts: 1, last: 500 };
    expect(status).toBe(408);
    expect(body).toEqual({
      code: "NOT_PROCESSABLE",
      errors: [],
      message: `No payin.paid of ${payinId} was delivered within 0 ms. Seen instead: payin.paid ${payinId} (pending, 500); payout.canceled ${payoutId} (delivered, 200).`,
      seen: [
        expect.objectContaining({ ...nearest, transaction_id: payinId }),
        expect.objectContaining({ transaction_id: payoutId, status: "delivered", last: 200 }),
      ],
      seed: world.sandbox.seed,
    });
  });

  it("is answered with 503 by a sandbox that stops, which it does not hold up", async () => {
    await using world = await start();
    await using waiting = await world.begin(LONG);
    await world.sandbox.close();
    expect(await waiting.answer).toMatchObject({
      status: 503,
      body: { code: "EXTERNAL_ERROR", message: "The sandbox is stopping." },
    });
  });

  it("continues for others if a caller disconnects", async () => {
    await using world = await start();
    await using staying = await world.begin(LONG);
    await (await world.begin(LONG))[Symbol.asyncDispose]();
    const payinId = await world.pay();
    expect(await staying.answer).toMatchObject({ status: 200, body: { transaction_id: payinId } });
  });
});

describe("POST /_sandbox/settle", () => {
  it("answers once the attempt in flight has ended", async () => {
    const { promise: answer, resolve } = deferred<number>();
    await using world = await start(() => answer, { clock: "frozen", now: START });
    await world.pay();
    await world.merchant.waitFor(1);
    await using settling = await startCall(world.sandbox.url, "POST", "/settle");
    const answered = watch(settling.answer);
    await turns();
    expect(answered.isSettled).toBe(false);
    resolve(200);
    expect(await settling.answer).toMatchObject({
      status: 200,
      body: { settled: true, now: START.toISOString(), mode: "frozen" },
    });
    expect(await world.deliveries()).toMatchObject([{ status: "delivered" }]);
  });

  it("does not wait for another integration's attempt, with a token", async () => {
    await using slow = await startMerchant({ answer: "hold" });
    await using world = await start(200, { clock: "frozen" });
    await world.pay("another", slow.url);
    await slow.waitFor(1);
    await world.pay();
    expect((await world.ask("POST /settle", { token: "shop" })).status).toBe(200);
    expect(await world.deliveries()).toMatchObject([
      { status: "pending", attempts: [] },
      { status: "delivered" },
    ]);
    await slow.close();
  });
});

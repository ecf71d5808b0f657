import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServingMain, serveMain } from "../support/main.ts";
import { type Calls, callsTo, type Shown } from "../support/calls.ts";
import { type Merchant, startMerchant, verified, type WebhookBody } from "../support/merchant.ts";

/** The flows of the stories that the package brings, told by a program of its own: HTTP, a receiver, and the verifier that merchants use. */
describe.each(["real", "frozen"])("on a %s clock, by plain HTTP", { timeout: 60_000 }, (clock) => {
  let sandbox: ServingMain;
  beforeAll(async () => {
    sandbox = await serveMain(["--memory", "--clock", clock]);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it("a charge is paid, and its webhook arrives once, signed", async () => {
    await using shop = await openShop("paid");
    const { body: charge } = await shop.calls.createPayin({ webhook_url: shop.url });
    expect(charge.qr_code).toMatch(/^000201/);
    expect(await shop.record("payins", charge)).toMatchObject({
      status: "waiting",
      settled_at: null,
    });
    expect(await shop.webhooks()).toEqual([]);

    expect(await shop.move("payins", charge, "pay")).toBe(200);
    const paid = await shop.record("payins", charge);
    expect(paid).toMatchObject({ status: "paid", value: 10.5 });
    expect(await shop.webhooks()).toMatchObject([
      {
        type: "payin.paid",
        data: { id: charge.id, status: "paid", end_to_end_id: paid["end_to_end_id"] },
      },
    ]);
    expect(await shop.deliveriesOf(charge)).toEqual([["payin.paid", "delivered", 200]]);
    expect(await shop.move("payins", charge, "pay")).toBe(422);
  });

  it("a charge expires without a webhook", async () => {
    await using shop = await openShop("expired");
    const { body: charge } = await shop.calls.createPayin({
      webhook_url: shop.url,
      expiration: 60,
    });
    await shop.calls.advance(120);
    const expired = await shop.record("payins", charge);
    expect(expired).toMatchObject({ status: "expired", end_to_end_id: null });
    expect(expired["settled_at"]).toBe(expired["expires_at"]);
    expect(await shop.move("payins", charge, "pay")).toBe(422);
    expect(await shop.calls.simulate("payin", charge.id)).toMatchObject({
      status: 422,
      body: { code: "NOT_PROCESSABLE", errors: [{ field: "transaction_id" }] },
    });
    expect(await shop.webhooks()).toEqual([]);
    expect(await shop.deliveriesOf(charge)).toEqual([]);
  });

  it("a charge is paid at the last second, and another a second late", async () => {
    await using shop = await openShop("last-second");
    const { calls } = shop;
    await calls.control("POST", "/clock/freeze");
    const members = { webhook_url: shop.url, expiration: 60 };
    const { body: inTime } = await calls.createPayin(members);
    const { body: tooLate } = await calls.createPayin(members);
    await calls.advance(59);
    expect(await shop.move("payins", inTime, "pay")).toBe(200);
    await calls.advance(1);
    expect(await shop.move("payins", tooLate, "pay")).toBe(422);
    if (clock === "real") await calls.control("POST", "/clock/resume");
    await calls.advance(3600);
    expect(await shop.record("payins", inTime)).toMatchObject({ status: "paid" });
    expect(await shop.record("payins", tooLate)).toMatchObject({ status: "expired" });
    expect(await shop.webhooks()).toMatchObject([
      { type: "payin.paid", data: { id: inTime.id, status: "paid" } },
    ]);
    expect(await shop.deliveriesOf(tooLate)).toEqual([]);
  });

  it("a payout is completed while the shop fails once, and its webhook is retried", async () => {
    await using shop = await openShop("completed");
    shop.merchant.answerWith((_received, index) => (index === 0 ? 500 : 200));
    const { body: payout } = await shop.calls.createPayout({ webhook_url: shop.url });
    expect(payout.status).toBe("waiting");
    expect(await shop.calls.simulate("payout", payout.id)).toMatchObject({ status: 200 });
    await shop.calls.advance(10);
    const completed = await shop.record("payouts", payout);
    expect(completed).toMatchObject({ status: "completed", value: 25 });
    const told = await shop.webhooks();
    expect(told).toMatchObject([
      { type: "payout.completed", data: { end_to_end_id: completed["end_to_end_id"] } },
      { type: "payout.completed" },
    ]);
    expect(shop.ids()).toEqual([told[0]?.id, told[0]?.id]);
    expect(shop.merchant.received[1]?.body).toBe(shop.merchant.received[0]?.body);
    expect(await shop.deliveriesOf(payout)).toEqual([["payout.completed", "delivered", 500, 200]]);
    expect(await shop.calls.simulate("payout", payout.id, "canceled")).toMatchObject({
      status: 422,
    });
  });

  it("a payout is canceled by a rival, and only its webhook reports it", async () => {
    await using shop = await openShop("rival");
    const send = (value: number) => shop.calls.createPayout({ webhook_url: shop.url, value });
    const { body: first } = await send(25);
    const second = await send(40);
    expect(second).toMatchObject({ status: 200, body: { status: "waiting" } });
    expect(await shop.record("payouts", second.body)).toMatchObject({ status: "canceled" });
    expect(await shop.record("payouts", first)).toMatchObject({ status: "waiting" });
    expect(await shop.webhooks()).toMatchObject([
      { type: "payout.canceled", data: { id: second.body.id, status: "canceled", value: 40 } },
    ]);
    expect(await shop.move("payouts", first, "complete")).toBe(200);
    const { body: third } = await send(40);
    expect(await shop.move("payouts", third, "complete")).toBe(200);
    expect((await shop.webhooks()).map(({ type, data }) => [type, data["id"]])).toEqual([
      ["payout.canceled", second.body.id],
      ["payout.completed", first.id],
      ["payout.completed", third.id],
    ]);
  });

  it("an answer is lost: the retry with the same key gets it, and money moves once", async () => {
    await using shop = await openShop("lost");
    await shop.order({ on: "payouts.create", effect: "lost_answer", times: 1 });
    const members = { webhook_url: shop.url, value: 25 };
    await expect(shop.calls.createPayout(members, "order-1")).rejects.toThrow("fetch failed");
    const retry = await shop.calls.createPayout(members, "order-1");
    expect(retry).toMatchObject({ status: 200, body: { status: "waiting" } });
    expect(retry.headers.get("idempotent-replayed")).toBe("true");
    const again = await shop.calls.createPayout(members, "order-1");
    expect(again.body).toEqual(retry.body);
    expect(await shop.calls.createPayout({ ...members, value: 26 }, "order-1")).toMatchObject({
      status: 409,
      body: { code: "DUPLICATED_VALUE", errors: [{ field: "x-idempotency-key" }] },
    });
    expect(await shop.records("payouts")).toMatchObject([{ id: retry.body.id, status: "waiting" }]);
    expect(await shop.move("payouts", retry.body, "complete")).toBe(200);
    expect(await shop.webhooks()).toMatchObject([
      { type: "payout.completed", data: { id: retry.body.id } },
    ]);
  });

  it("a webhook arrives twice, with one id and the same bytes", async () => {
    await using shop = await openShop("duplicate");
    await shop.order({ on: "webhook", effect: "duplicate", times: 1 });
    const { body: charge } = await shop.calls.createPayin({ webhook_url: shop.url });
    await shop.calls.simulate("payin", charge.id);
    expect(await shop.webhooks()).toMatchObject([
      { type: "payin.paid", data: { id: charge.id, status: "completed" } },
      { type: "payin.paid" },
    ]);
    expect(new Set(shop.ids()).size).toBe(1);
    expect(new Set(shop.merchant.received.map(({ body }) => body)).size).toBe(1);
    const { body: another } = await shop.calls.createPayin({ webhook_url: shop.url });
    await shop.calls.simulate("payin", another.id);
    expect((await shop.webhooks()).filter(({ data }) => data["id"] === another.id)).toHaveLength(1);
  });

  it("the provider is down, then up: the same key is good for every try", async () => {
    await using shop = await openShop("down");
    await shop.order({ on: "payouts.create", effect: "error=EXTERNAL_ERROR", times: 2 });
    const send = () => shop.calls.createPayout({ webhook_url: shop.url }, "order-1");
    for (let times = 0; times < 2; times++)
      expect(await send()).toMatchObject({ status: 502, body: { code: "EXTERNAL_ERROR" } });
    expect(await shop.records("payouts")).toEqual([]);
    expect((await shop.calls.createPayin({ webhook_url: shop.url })).status).toBe(200);
    const third = await send();
    expect(third).toMatchObject({ status: 200, body: { status: "waiting" } });
    expect(third.headers.get("idempotent-replayed")).toBeNull();
    expect((await send()).body).toEqual(third.body);
    expect(await shop.move("payouts", third.body, "complete")).toBe(200);
    expect(await shop.webhooks()).toMatchObject([
      { type: "payout.completed", data: { id: third.body.id } },
    ]);
  });

  /** A merchant with an integration and a receiver of its own. */
  async function openShop(token: string): Promise<Shop> {
    const merchant = await startMerchant();
    const calls = callsTo(sandbox.url, token);
    const control = async <Body>(method: string, path: string, body?: object) => {
      const answer = await fetch(`${sandbox.url}/_sandbox${path}`, {
        method,
        headers: { "x-api-token": token, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Body };
    };
    const list = async (path: string) =>
      (await control<{ data: readonly Shown[] }>("GET", path)).body.data;
    return {
      calls,
      merchant,
      url: merchant.url,
      webhooks: async () => {
        await control("POST", "/settle");
        return merchant.received.map((one) => verified(one, sandbox.secret));
      },
      ids: () => merchant.received.map(({ headers }) => headers["webhook-id"]),
      record: async (noun, { id }) =>
        (await control<Record<string, unknown>>("GET", `/${noun}/${id}`)).body,
      records: (noun) => list(`/${noun}`),
      move: async (noun, { id }, move) => (await control("POST", `/${noun}/${id}/${move}`)).status,
      order: async (fault) => expect((await control("POST", "/faults", fault)).status).toBe(200),
      deliveriesOf: async ({ id }) =>
        (await list(`/deliveries?transaction_id=${id}`)).map(({ type, status, attempts }) => [
          type,
          status,
          ...attempts.map((attempt) => attempt.status),
        ]),
      [Symbol.asyncDispose]: () => merchant.close(),
    };
  }
});

interface Shop extends AsyncDisposable {
  readonly calls: Calls;
  readonly merchant: Merchant;
  readonly url: string;
  /** What has arrived once nothing is under way, each signature verified. */
  webhooks(): Promise<readonly WebhookBody[]>;
  ids(): readonly (string | undefined)[];
  record(noun: "payins" | "payouts", row: { id: string }): Promise<Record<string, unknown>>;
  records(noun: "payins" | "payouts"): Promise<readonly Shown[]>;
  /** @returns the status of the answer. */
  move(noun: "payins" | "payouts", row: { id: string }, move: string): Promise<number>;
  order(fault: object): Promise<void>;
  /** Each with its type, its status, and what its attempts were answered. */
  deliveriesOf(row: { id: string }): Promise<readonly (readonly unknown[])[]>;
}

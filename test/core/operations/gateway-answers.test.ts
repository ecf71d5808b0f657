import { describe, expect, it, vi } from "vitest";
import { StorageError } from "../../../src/core/state/ports.ts";
import {
  attemptResult,
  createGateway,
  HeldStore,
  payinCall,
  payoutCall,
  START_MS,
  type TestGateway,
  turns,
  watch,
  listsIn,
  createPayin,
  createPayout,
  payinsOf,
  payoutsOf,
} from "../../support/core.ts";
import { refusal } from "./gateway.ts";
import { toIso } from "../../../src/wire/timestamp.ts";
import { say } from "../../../src/text/message.ts";
import { putsOf } from "../../../src/core/state/records.ts";

describe("a move by a control route", () => {
  it.each([
    ["pay", "paid", "paid"],
    ["pay", "completed", "completed"],
    ["cancel", "paid", "canceled"],
    ["expire", "paid", "expired"],
  ] as const)("%s (payin.paid_status=%s) makes a payin %s", async (move, paidStatus, status) => {
    const { gateway } = createGateway({ assumptions: { "payin.paid_status": paidStatus } });
    const { record } = await createPayin(gateway, payinCall());
    const moved = await gateway.move("shop", "payin", record.id, move);

    expect(moved).toMatchObject({ record: { status, settled_at: toIso(START_MS) } });
    expect(moved?.record.end_to_end_id).toEqual(
      move === "pay" ? expect.stringMatching(/^E\w{31}$/) : null,
    );
  });

  it("is undefined for other integrations' records, and found without an integration", async () => {
    const { gateway } = createGateway();
    const { record: charge } = await createPayin(gateway, payinCall());
    const { record: payment } = await createPayout(gateway, payoutCall());

    expect(await gateway.move("other", "payin", charge.id, "pay")).toBeUndefined();
    expect(await gateway.move("shop", "payin", payment.id, "pay")).toBeUndefined();
    expect(await gateway.move("other", "payout", payment.id, "complete")).toBeUndefined();
    expect(await gateway.move(null, "payin", charge.id, "pay")).toMatchObject({
      record: { status: "paid" },
    });
    expect(await gateway.move(null, "payout", payment.id, "cancel")).toMatchObject({
      record: { status: "canceled", end_to_end_id: null },
    });
  });
});

describe("choices that are changed", () => {
  it("apply to one integration, or to all without changes of their own", async () => {
    const { gateway } = createGateway();
    await gateway.changeAssumptions("shop", { "payout.rival": "allow" });
    await gateway.changeAssumptions(null, { "payout.rival": "reject", "error.language": "pt" });

    expect(gateway.assumptionsOf("shop")).toMatchObject({
      "payout.rival": "allow",
      "error.language": "pt",
    });
    expect(gateway.assumptionsOf("other")).toMatchObject({
      "payout.rival": "reject",
      "error.language": "pt",
    });
    expect(gateway.assumptionsOf(null)).toMatchObject({ "payout.rival": "reject" });
  });
});

describe("an answer", () => {
  /** Each call that answers something, made where nothing is durable any more. */
  const CALLS: Readonly<
    Record<
      string,
      (made: TestGateway, ids: { payin: string; payout: string; event: string }) => unknown
    >
  > = {
    "the first answer of a payin": ({ gateway }) => createPayin(gateway, payinCall()),
    "the first answer of a payout": ({ gateway }) =>
      createPayout(gateway, payoutCall({ draft: { receiver_cpf: "11144477735" } })),
    "the answer of a payout that a rival cancels": ({ gateway }) =>
      createPayout(gateway, payoutCall()),
    "a repeat": ({ gateway }) => createPayin(gateway, payinCall({ key: "order-1" })),
    "a repeat of a payout": ({ gateway }) => createPayout(gateway, payoutCall({ key: "order-2" })),
    "the refusal of a key that is used": ({ gateway }) =>
      createPayin(gateway, payinCall({ key: "order-1", draft: { value: 1 } })),
    "a read of a record": ({ gateway }, { payin }) =>
      gateway.read("shop", (view) => view.payin(payin)),
    "a read of a list": ({ gateway }) =>
      gateway.read(null, (view) => view.records("payout", { limit: 1 })),
    "a read of nothing": ({ gateway }) => gateway.read("shop", (view) => view.payin("no such id")),
    "a simulation": ({ gateway }, { payout }) =>
      gateway.simulate("payout", { integration: "shop", id: payout, status: "completed" }),
    "an already-final refusal": ({ gateway }, { payin }) =>
      gateway.simulate("payin", { integration: "shop", id: payin, status: "completed" }),
    "the refusal of an unknown transaction": ({ gateway }) =>
      gateway.simulate("payin", { integration: "shop", id: "no such id", status: "completed" }),
    "a move": ({ gateway }, { payout }) => gateway.move(null, "payout", payout, "cancel"),
    "the refusal of a move": ({ gateway }, { payin }) => gateway.move(null, "payin", payin, "pay"),
    "a configured webhook": ({ gateway }) =>
      gateway.configureWebhook({
        integration: "shop",
        webhook_url: "http://localhost/",
        events: ["payment.failed"],
      }),
    "a changed choice": ({ gateway }) =>
      gateway.changeAssumptions("shop", { "error.language": "pt" }),
    "the record of an attempt": ({ gateway }, { event }) =>
      gateway.recordAttempt(event, attemptResult()),
    "the clock's place": ({ gateway }) => gateway.storeClock(),
  };

  /** A payin that is paid and a payout that waits, none of it durable. */
  const setUp = async () => {
    const store = new HeldStore();
    const made = createGateway({ store });
    store.hold();
    const unanswered = [
      createPayin(made.gateway, payinCall({ key: "order-1" })),
      createPayout(made.gateway, payoutCall({ key: "order-2" })),
    ];
    const [payin] = payinsOf(store.records);
    const [payout] = payoutsOf(store.records);
    unanswered.push(
      made.gateway.simulate("payin", {
        integration: "shop",
        id: payin?.id ?? "",
        status: "completed",
      }) as never,
    );
    const [delivery] = store.records.deliveries.all();
    for (const each of unanswered) Promise.resolve(each).catch(() => undefined);
    return {
      made,
      store,
      unanswered,
      ids: { payin: payin?.id ?? "", payout: payout?.id ?? "", event: delivery?.id ?? "" },
    };
  };

  it.each(Object.entries(CALLS))("leaves only when it is durable: %s", async (_title, call) => {
    const { made, store, ids } = await setUp();
    const answer = Promise.resolve(call(made, ids));
    const answered = watch(answer);
    await turns();
    expect(answered.isSettled).toBe(false);

    store.release();
    await Promise.allSettled([answer]);
    expect(answered.isSettled).toBe(true);
  });

  it.each(Object.entries(CALLS))(
    "is a storage error where it cannot be kept: %s",
    async (_title, call) => {
      const { made, store, ids } = await setUp();
      const answer = call(made, ids);
      store.fail(new StorageError(say`The disk is full.`));

      await expect(answer).rejects.toThrow(StorageError);
    },
  );

  it("resolves at once if nothing waits to be durable", async () => {
    const store = new HeldStore();
    const { gateway } = createGateway({ store });
    store.hold();

    expect(await gateway.read("shop", (view) => view.payin("no such id"))).toBeUndefined();
    await expect(
      gateway.simulate("payin", { integration: "shop", id: "no such id", status: "completed" }),
    ).rejects.toEqual(refusal("NOT_PROCESSABLE"));
  });

  it("waits for what fell due at its call, too", async () => {
    const store = new HeldStore();
    const { gateway, clock } = createGateway({ store });
    const { record } = await createPayin(gateway, payinCall());
    store.hold();
    clock.moveTo(START_MS + 240_000);

    const answer = gateway.read("shop", (view) => view.payin(record.id)?.record.status);
    const answered = watch(answer);
    await turns();
    expect(answered.isSettled).toBe(false);
    store.release();
    expect(await answer).toBe("expired");
  });

  it("is the result at the time of the call, whatever happens while it waits", async () => {
    const store = new HeldStore();
    const { gateway } = createGateway({ store });
    const { record } = await createPayout(gateway, payoutCall());
    store.hold();
    const read = gateway.read("shop", (view) => view.payout(record.id)?.record.status);
    const completed = gateway.simulate("payout", {
      integration: "shop",
      id: record.id,
      status: "completed",
    });
    const canceled = gateway.simulate("payout", {
      integration: "shop",
      id: record.id,
      status: "canceled",
    });
    Promise.resolve(canceled).catch(() => undefined);
    store.release();

    expect(await read).toBe("waiting");
    expect(await completed).toMatchObject({ record: { status: "completed" } });
    await expect(canceled).rejects.toEqual(refusal("NOT_PROCESSABLE", "transaction_id"));
  });
});

describe("a change", () => {
  it("holds the record, its key and its webhooks: all or nothing", async () => {
    const store = new HeldStore();
    const { gateway } = createGateway({ store });
    await gateway.configureWebhook({
      integration: "shop",
      webhook_url: "http://localhost/configured",
      events: ["payment.received"],
    });
    const call = payinCall({ key: "order-1" });
    const { transaction, record } = await createPayin(gateway, call);
    expect(store.changes.at(-1)).toEqual([["transactions", transaction]]);
    expect(transaction).toMatchObject({ key: "order-1", request: call.request });

    await gateway.simulate("payin", { integration: "shop", id: record.id, status: "completed" });
    const { transactions, deliveries } = listsIn(store.changes.at(-1));
    expect(transactions).toMatchObject([{ record: { id: record.id, status: "completed" } }]);
    expect(deliveries?.map(({ type }) => type)).toEqual(["payin.paid", "payment.received"]);
  });

  it("is one for each decision, and none for a read, a repeat or a refusal", async () => {
    const store = new HeldStore();
    const { gateway } = createGateway({ store });
    const call = payinCall({ key: "order-1" });
    const { record } = await createPayin(gateway, call);
    expect(store.changes).toHaveLength(1);

    await createPayin(gateway, call);
    await gateway.read(null, (view) => view.records("payin", { limit: 10 }));
    await Promise.allSettled([
      createPayin(gateway, payinCall({ key: "order-1", draft: { value: 1 } })),
      gateway.simulate("payin", { integration: "shop", id: "no such id", status: "completed" }),
    ]);
    expect(store.changes).toHaveLength(1);

    await gateway.simulate("payin", { integration: "shop", id: record.id, status: "completed" });
    await Promise.allSettled([
      gateway.simulate("payin", { integration: "shop", id: record.id, status: "completed" }),
    ]);
    expect(store.changes).toHaveLength(2);
  });
});

describe("an attempt whose result is noted", () => {
  it("is applied at once, and does not make the store write", async () => {
    const store = new HeldStore();
    const { gateway, records } = createGateway({ store });
    const { record } = await createPayin(gateway, payinCall({ key: "paid" }));
    await gateway.simulate("payin", { integration: "shop", id: record.id, status: "completed" });
    const [delivery] = records.deliveries.all();
    const durable = vi.spyOn(store, "durable");
    void gateway.recordAttempt(delivery?.id ?? "", attemptResult());
    void gateway.recordAttempt("no such delivery", attemptResult());

    expect(records.deliveries.get(delivery?.id ?? "")?.attempts).toHaveLength(1);
    expect(durable).not.toHaveBeenCalled();
  });
});

describe("a store that accepts changes again", () => {
  it("has what fell due meanwhile happen: expiry that was rolled back, attempts that could not be recorded", async () => {
    const store = new HeldStore();
    const { gateway, clock, started, records } = createGateway({ store });
    const paid = await createPayin(gateway, payinCall({ key: "paid" }));
    const lapsing = await createPayin(gateway, payinCall({ key: "lapsing" }));
    await gateway.simulate("payin", {
      integration: "shop",
      id: paid.record.id,
      status: "completed",
    });
    gateway.due.run();
    expect(started).toHaveLength(1);

    const refuse = (): never => {
      throw new StorageError(say`the disk is full`);
    };
    const commit = store.commit.bind(store);
    store.commit = refuse;
    const [delivery] = started;
    await expect(gateway.recordAttempt(delivery?.id ?? "", attemptResult())).rejects.toThrow(
      StorageError,
    );
    // It was applied, and is rolled back.
    store.commit = commit;
    clock.moveTo(lapsing.transaction.dueMs ?? 0);
    gateway.due.run();
    expect(records.transactions.get(lapsing.record.id)?.record.status).toBe("expired");
    records.apply(putsOf({ transactions: [lapsing.transaction] }));

    gateway.due.run();
    expect([started.length, records.transactions.get(lapsing.record.id)?.record.status]).toEqual([
      1,
      "waiting",
    ]);
    store.onRecovered?.();
    gateway.due.run();
    expect(started.map(({ id }) => id)).toEqual([delivery?.id, delivery?.id]);
    expect(records.transactions.get(lapsing.record.id)?.record.status).toBe("expired");
  });
});

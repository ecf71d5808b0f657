import { describe, expect, it, vi } from "vitest";
import { StorageError } from "../../../src/core/state/ports.ts";
import {
  attempt,
  configureWebhook,
  createGateway,
  HeldStore,
  payinCall,
  payoutCall,
  simulate,
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
import type { Kind, PayoutOutcome } from "../../../src/core/records/transaction.ts";
import { say } from "../../../src/text/message.ts";
import { putsOf } from "../../../src/core/state/records.ts";

describe("a created payin", () => {
  it("is the same for the same seed and calls, whatever happens in other integrations between", async () => {
    const [quiet, busy] = [createGateway({ seed: "42" }), createGateway({ seed: "42" })];
    await createPayin(busy.gateway, payinCall({ integration: "other" }));
    await createPayout(busy.gateway, payoutCall({ integration: "another" }));
    const call = payinCall({ key: "order-1" });
    const { record } = await createPayin(quiet.gateway, call);
    expect((await createPayin(busy.gateway, call)).record).toEqual(record);
  });
});

describe("an idempotency key", () => {
  it("is known until its time has passed by a time that a restart does not take back", async () => {
    const { gateway, records, clock } = createGateway({
      setting: { mode: "real", offsetMs: 0 },
      assumptions: { "idempotency.retention_seconds": 60 },
    });
    await gateway.storeClock();
    const { record } = await createPayin(gateway, payinCall({ key: "order-1" }));
    const keptKey = () => records.transactions.get(record.id)?.key;

    clock.moveTo(START_MS + 60_000);
    await createPayin(gateway, payinCall());
    expect(keptKey()).toBe("order-1");
    await gateway.storeClock();
    await createPayin(gateway, payinCall());
    expect(keptKey()).toBe("");
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
      gateway.read("shop", (view) => view.transaction("payin", payin)),
    "a read of a list": ({ gateway }) =>
      gateway.read(null, (view) => view.records("payout", { limit: 1 })),
    "a read of nothing": ({ gateway }) =>
      gateway.read("shop", (view) => view.transaction("payin", "no such id")),
    "a simulation": (made, { payout }) => settle(made, "payout", payout),
    "an already-final refusal": (made, { payin }) => settle(made, "payin", payin),
    "the refusal of an unknown transaction": (made) => settle(made, "payin", "no such id"),
    "a move": ({ gateway }, { payout }) => gateway.move(null, "payout", payout, "cancel"),
    "the refusal of a move": ({ gateway }, { payin }) => gateway.move(null, "payin", payin, "pay"),
    "a configured webhook": ({ gateway }) =>
      configureWebhook(gateway, {
        integration: "shop",
        webhook_url: "http://localhost/",
        events: ["payment.failed"],
      }),
    "a changed choice": ({ gateway }) =>
      gateway.changeAssumptions("shop", { "error.language": "pt" }),
    "the record of an attempt": ({ gateway }, { event }) => gateway.recordAttempt(event, attempt()),
    "the clock's place": ({ gateway }) => gateway.storeClock(),
  };

  /** A payin that is paid and a payout that waits, none of it durable. */
  const setUp = () => {
    const store = new HeldStore();
    const made = createGateway({ store });
    store.hold();
    const unanswered: Promise<unknown>[] = [
      createPayin(made.gateway, payinCall({ key: "order-1" })),
      createPayout(made.gateway, payoutCall({ key: "order-2" })),
    ];
    const idOf = (rows: readonly { readonly id: string }[]): string => rows[0]?.id ?? "";
    const payin = idOf(payinsOf(store.records));
    unanswered.push(settle(made, "payin", payin));
    for (const each of unanswered) each.catch(() => undefined);
    const event = idOf(store.records.deliveries.all());
    return { made, store, ids: { payin, payout: idOf(payoutsOf(store.records)), event } };
  };

  it.each(Object.entries(CALLS))(
    "leaves only when it is durable, and is a storage error where it cannot be: %s",
    async (_title, call) => {
      for (const isStored of [true, false]) {
        const { made, store, ids } = setUp();
        const answer = Promise.resolve(call(made, ids));
        const answered = watch(answer);
        await turns();
        expect(answered.isSettled).toBe(false);
        if (isStored) store.release();
        else store.fail(new StorageError(say`The disk is full.`));
        const error: unknown = await answer.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error instanceof StorageError).toBe(!isStored);
      }
    },
  );

  it("resolves at once if nothing waits to be durable", async () => {
    const store = new HeldStore();
    const made = createGateway({ store });
    store.hold();
    expect(
      await made.gateway.read("shop", (view) => view.transaction("payin", "no such id")),
    ).toBeUndefined();
    await expect(settle(made, "payin", "no such id")).rejects.toMatchObject(REFUSED);
  });

  it("waits for what fell due at its call, too", async () => {
    const store = new HeldStore();
    const { gateway, clock } = createGateway({ store });
    const { record } = await createPayin(gateway, payinCall());
    store.hold();
    clock.moveTo(START_MS + 240_000);

    const answer = gateway.read(
      "shop",
      (view) => view.transaction("payin", record.id)?.record.status,
    );
    const answered = watch(answer);
    await turns();
    expect(answered.isSettled).toBe(false);
    store.release();
    expect(await answer).toBe("expired");
  });

  it("is the result at the time of the call, whatever happens while it waits", async () => {
    const store = new HeldStore();
    const made = createGateway({ store });
    const { record } = await createPayout(made.gateway);
    store.hold();
    const read = made.gateway.read(
      "shop",
      (view) => view.transaction("payout", record.id)?.record.status,
    );
    const completed = settle(made, "payout", record.id);
    const canceled = settle(made, "payout", record.id, "canceled");
    canceled.catch(() => undefined);
    store.release();

    expect(await read).toBe("waiting");
    expect(await completed).toMatchObject({ record: { status: "completed" } });
    await expect(canceled).rejects.toMatchObject(REFUSED);
  });
});

describe("a change", () => {
  it("is one for each decision, with the record, its key and its webhooks, and none for a read, a repeat or a refusal", async () => {
    const store = new HeldStore();
    const made = createGateway({ store });
    const { gateway } = made;
    await configureWebhook(gateway, {
      integration: "shop",
      webhook_url: "http://localhost/configured",
      events: ["payment.received"],
    });
    const call = payinCall({ key: "order-1" });
    const { transaction, record } = await createPayin(gateway, call);
    expect(store.changes.slice(1)).toEqual([[["transactions", transaction]]]);
    expect(transaction).toMatchObject({ key: "order-1", request: call.request });

    await createPayin(gateway, call);
    await gateway.read(null, (view) => view.records("payin", { limit: 10 }));
    await settle(made, "payin", record.id);
    await Promise.allSettled([
      createPayin(gateway, payinCall({ key: "order-1", draft: { value: 1 } })),
      settle(made, "payin", "no such id"),
      settle(made, "payin", record.id),
    ]);
    expect(store.changes).toHaveLength(3);
    const { transactions, deliveries } = listsIn(store.changes.at(-1));
    expect(transactions).toMatchObject([{ record: { id: record.id, status: "completed" } }]);
    expect(deliveries?.map(({ type }) => type)).toEqual(["payin.paid", "payment.received"]);

    await createPayout(gateway);
    const rival = await createPayout(gateway, payoutCall({ key: "order-2" }));
    expect(store.changes).toHaveLength(5);
    expect(listsIn(store.changes.at(-1))).toMatchObject({
      transactions: [{ record: { id: rival.record.id, status: "canceled" }, key: "order-2" }],
      deliveries: [{ type: "payout.canceled", transactionId: rival.record.id }],
    });
  });
});

describe("an attempt whose result is noted", () => {
  it("is applied at once, and does not make the store write", async () => {
    const store = new HeldStore();
    const made = createGateway({ store });
    const { gateway, records } = made;
    await settle(made, "payin", (await createPayin(gateway)).record.id);
    const [delivery] = records.deliveries.all();
    const durable = vi.spyOn(store, "durable");
    void gateway.recordAttempt(delivery?.id ?? "", attempt());
    void gateway.recordAttempt("no such delivery", attempt());

    expect(records.deliveries.get(delivery?.id ?? "")?.attempts).toHaveLength(1);
    expect(durable).not.toHaveBeenCalled();
  });
});

describe("a store that accepts changes again", () => {
  it("has what fell due meanwhile happen: expiry that was rolled back, attempts that could not be recorded", async () => {
    const store = new HeldStore();
    const made = createGateway({ store });
    const { gateway, clock, started, records } = made;
    await settle(made, "payin", (await createPayin(gateway)).record.id);
    const lapsing = await createPayin(gateway);
    gateway.due.run();
    expect(started).toHaveLength(1);

    const refuse = (): never => {
      throw new StorageError(say`the disk is full`);
    };
    const commit = store.commit.bind(store);
    store.commit = refuse;
    const [delivery] = started;
    await expect(gateway.recordAttempt(delivery?.id ?? "", attempt())).rejects.toThrow(
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

/** What a refusal of a simulation is. */
const REFUSED = { code: "NOT_PROCESSABLE", fields: [{ field: "transaction_id" }] };

function settle({ gateway }: TestGateway, kind: Kind, id: string, status = "completed") {
  return simulate(gateway, kind, { integration: "shop", id, status: status as PayoutOutcome });
}

import { describe, expect, it, vi } from "vitest";
import type { Gateway } from "../../../src/core/operations/gateway.ts";
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
} from "../../support/core.ts";

const refusal = (code: string, field?: string) =>
  expect.objectContaining({
    code,
    ...(field !== undefined && { fields: [expect.objectContaining({ field })] }),
  });

describe("a payin that is created", () => {
  it("is the request with its ids, times and code", async () => {
    const { gateway, records } = createGateway();
    const call = payinCall({ draft: { description: "Pedido 42", expirationSeconds: 20 } });
    const { record, isRepeat } = await gateway.createPayin(call);

    expect(isRepeat).toBe(false);
    expect(record).toMatchObject({
      ...call.draft,
      integration: "shop",
      ordinal: 1,
      status: "waiting",
      createdAtMs: START_MS,
      expiresAtMs: START_MS + 20_000,
      settledAtMs: null,
      endToEndId: null,
    });
    expect(record.qrCode).toContain(`pix-sandbox.example/qr/v2/${record.pixId}`);
    expect(record.qrCode).toContain("Loja da Maria");
    expect(records.payins.get(record.id)).toEqual(record);
  });

  it("is the same for the same seed and calls, whatever happens in other integrations between", async () => {
    const quiet = createGateway({ seed: "42" });
    const busy = createGateway({ seed: "42" });
    await busy.gateway.createPayin(payinCall({ integration: "other" }));
    await busy.gateway.createPayout(payoutCall({ integration: "another" }));
    const [one, other] = await Promise.all(
      [quiet, busy].map(({ gateway }) => gateway.createPayin(payinCall({ key: "order-1" }))),
    );

    const { eventNumber: _one, ...mine } = one?.record ?? { eventNumber: 0 };
    const { eventNumber: _other, ...theirs } = other?.record ?? { eventNumber: 0 };
    expect(mine).toEqual(theirs);
  });
});

describe("a repeated call", () => {
  it.each([2, 10, 100])(
    "makes one record of %i calls at once, and answers all of them the same",
    async (count) => {
      const { gateway, records } = createGateway();
      const call = payinCall({ key: "order-1" });
      const answers = await Promise.all(
        Array.from({ length: count }, () => gateway.createPayin(call)),
      );

      expect(records.payins.size).toBe(1);
      expect(answers.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1);
      for (const { record } of answers) expect(record).toEqual(answers[0]?.record);
    },
  );

  it("of a payout creates no second one, not even a rival", async () => {
    const { gateway, records } = createGateway({ assumptions: { "payout.rival": "reject" } });
    const call = payoutCall({ key: "order-1" });
    const first = await gateway.createPayout(call);
    const again = await gateway.createPayout(call);

    expect(again).toEqual({ record: first.record, isRepeat: true });
    expect(records.payouts.size).toBe(1);
  });

  it("is answered with the record of the first one as it now is", async () => {
    const { gateway } = createGateway();
    const call = payinCall({ key: "order-1" });
    const { record } = await gateway.createPayin(call);
    await gateway.simulatePayin("shop", record.id, "completed");

    const again = await gateway.createPayin(call);
    expect(again).toMatchObject({ isRepeat: true, record: { id: record.id, status: "completed" } });
  });

  it("with another request is refused before any rule is looked at, and changes nothing", async () => {
    const { gateway, records } = createGateway({ assumptions: { "payout.rival": "reject" } });
    await gateway.createPayout(payoutCall({ key: "order-1" }));
    const before = records.toChange();
    const events = records.lastEventNumber;

    const other = gateway.createPayout(payoutCall({ key: "order-1", draft: { valueCents: 1 } }));
    await expect(other).rejects.toEqual(refusal("DUPLICATED_VALUE", "x-idempotency-key"));
    expect(records.toChange()).toEqual(before);
    expect(records.lastEventNumber).toBe(events);
  });

  it("of the other operation is refused under the same key", async () => {
    const { gateway } = createGateway();
    await gateway.createPayin(payinCall({ key: "order-1" }));

    await expect(gateway.createPayout(payoutCall({ key: "order-1" }))).rejects.toEqual(
      refusal("DUPLICATED_VALUE", "x-idempotency-key"),
    );
  });

  it("of another integration is a first one", async () => {
    const { gateway } = createGateway();
    const call = payinCall({ key: "order-1" });
    const mine = await gateway.createPayin(call);
    const theirs = await gateway.createPayin({ ...call, integration: "other" });

    expect(theirs.isRepeat).toBe(false);
    expect(theirs.record.id).not.toBe(mine.record.id);
  });

  it("uses no key if the first call was refused", async () => {
    const { gateway, records } = createGateway({ assumptions: { "payout.rival": "reject" } });
    const first = await gateway.createPayout(payoutCall());
    const call = payoutCall({ key: "order-2" });
    await expect(gateway.createPayout(call)).rejects.toEqual(refusal("NOT_PROCESSABLE"));
    expect(records.takenFor("shop", "order-2")).toBeUndefined();

    await gateway.simulatePayout("shop", first.record.id, "completed");
    expect(await gateway.createPayout(call)).toMatchObject({ isRepeat: false });
  });

  it("is a first one again when the key's time has passed, to the millisecond", async () => {
    const { gateway, clock } = createGateway({
      assumptions: { "idempotency.retention_seconds": 60 },
    });
    const call = payinCall({ key: "order-1" });
    const first = await gateway.createPayin(call);

    clock.moveTo(START_MS + 59_999);
    expect(await gateway.createPayin(call)).toMatchObject({ isRepeat: true });
    clock.moveTo(START_MS + 60_000);
    const second = await gateway.createPayin(call);
    expect(second.isRepeat).toBe(false);
    expect(second.record.id).not.toBe(first.record.id);
    expect(await gateway.createPayin(call)).toMatchObject({
      isRepeat: true,
      record: { id: second.record.id },
    });
  });

  it("is known until its key's time has passed by a time that a restart does not take back", async () => {
    const { gateway, records, clock } = createGateway({
      setting: { mode: "real", offsetMs: 0 },
      assumptions: { "idempotency.retention_seconds": 60 },
    });
    await gateway.storeClock();
    const { record } = await gateway.createPayin(payinCall({ key: "order-1" }));
    const keptKey = () => records.payins.get(record.id)?.idempotencyKey;

    clock.moveTo(START_MS + 60_000);
    await gateway.createPayin(payinCall());
    expect(keptKey()).toBe("order-1");
    await gateway.storeClock();
    await gateway.createPayin(payinCall());
    expect(keptKey()).toBe("");
  });

  it.each([
    "__proto__",
    "constructor",
    "toString",
    "k".repeat(256),
    "a\u0000b",
    "a\r\nb",
    "chave-ção-😀",
    " ",
  ])("is known by any key: %j", async (key) => {
    const { gateway } = createGateway();
    const first = await gateway.createPayin(payinCall({ key }));
    const again = await gateway.createPayin(payinCall({ key }));
    const other = await gateway.createPayin(payinCall({ key: `${key}.` }));

    expect([first, again, other].map(({ isRepeat }) => isRepeat)).toEqual([false, true, false]);
    expect(again.record.id).toBe(first.record.id);
  });
});

describe("a second payout to a receiver with one in progress", () => {
  it("is created and canceled in one change, with the webhook that reports it", async () => {
    const store = new HeldStore();
    const { gateway } = createGateway({ store });
    const first = await gateway.createPayout(payoutCall());
    const second = await gateway.createPayout(payoutCall({ key: "order-2" }));

    expect(second.record.status).toBe("waiting");
    const change = store.changes.at(-1);
    expect(change?.payouts).toEqual([
      {
        ...second.record,
        status: "canceled",
        settledAtMs: START_MS,
        eventNumber: expect.any(Number),
      },
    ]);
    expect(change?.deliveries).toEqual([
      expect.objectContaining({ type: "payout.canceled", transactionId: second.record.id }),
    ]);
    expect(change?.payouts?.[0]?.idempotencyKey).toBe("order-2");
    expect(store.records.payouts.get(first.record.id)?.status).toBe("waiting");
  });

  it("is the only one of 100 at once that is left waiting", async () => {
    const { gateway, records } = createGateway();
    await Promise.all(Array.from({ length: 100 }, () => gateway.createPayout(payoutCall())));

    const statuses = records.payouts.all().map(({ status }) => status);
    expect(statuses).toEqual(["waiting", ...Array.from({ length: 99 }, () => "canceled")]);
  });

  it("is refused with the choice to reject, and leaves nothing behind", async () => {
    const { gateway, records } = createGateway({ assumptions: { "payout.rival": "reject" } });
    await gateway.createPayout(payoutCall());

    await expect(gateway.createPayout(payoutCall())).rejects.toEqual(
      refusal("NOT_PROCESSABLE", "receiver_cpf"),
    );
    expect(records.payouts.size).toBe(1);
    expect(records.deliveries.size).toBe(0);
  });

  it("waits together with the first if both are allowed", async () => {
    const { gateway, records } = createGateway({ assumptions: { "payout.rival": "allow" } });
    for (let count = 0; count < 3; count++) await gateway.createPayout(payoutCall());

    expect(records.payouts.all().map(({ status }) => status)).toEqual([
      "waiting",
      "waiting",
      "waiting",
    ]);
  });

  it.each(["completed", "canceled"] as const)(
    "is a first one when the other is %s",
    async (status) => {
      const { gateway, records } = createGateway();
      const { record } = await gateway.createPayout(payoutCall());
      await gateway.simulatePayout("shop", record.id, status);
      const second = await gateway.createPayout(payoutCall());

      expect(records.payouts.get(second.record.id)?.status).toBe("waiting");
    },
  );

  it.each([
    ["receiver_cpf", "other CPF, same key", { receiverCpf: "11144477735" }, "waiting"],
    ["receiver_cpf", "same CPF, other key", { pixKey: "11144477735" }, "canceled"],
    ["pix_key", "other CPF, same key", { receiverCpf: "11144477735" }, "canceled"],
    ["pix_key", "same CPF, other key", { pixKey: "11144477735" }, "waiting"],
  ] as const)("is known by %s: %s", async (recipient, _title, draft, status) => {
    const { gateway, records } = createGateway({ assumptions: { "payout.recipient": recipient } });
    await gateway.createPayout(payoutCall());
    const { record } = await gateway.createPayout(payoutCall({ draft }));

    expect(records.payouts.get(record.id)?.status).toBe(status);
  });

  it("does not meet one of another integration", async () => {
    const { gateway, records } = createGateway();
    await gateway.createPayout(payoutCall({ integration: "other" }));
    const { record } = await gateway.createPayout(payoutCall());

    expect(records.payouts.get(record.id)?.status).toBe("waiting");
  });
});

describe("a payin whose time comes", () => {
  const setUp = async () => {
    const made = createGateway();
    const { record } = await made.gateway.createPayin(payinCall());
    return { ...made, record };
  };

  it("waits to the last millisecond before", async () => {
    const { gateway, clock, record } = await setUp();
    clock.moveTo(START_MS + 239_999);

    expect(await gateway.read("shop", (view) => view.payin(record.id)?.status)).toBe("waiting");
    expect(await gateway.simulatePayin("shop", record.id, "completed")).toMatchObject({
      status: "completed",
    });
  });

  it("is expired at exactly its millisecond, for reads and for settlements", async () => {
    const { gateway, clock, record } = await setUp();
    clock.moveTo(START_MS + 240_000);

    await expect(gateway.simulatePayin("shop", record.id, "completed")).rejects.toEqual(
      refusal("NOT_PROCESSABLE", "transaction_id"),
    );
    await expect(gateway.movePayin("shop", record.id, "pay")).rejects.toEqual(
      refusal("NOT_PROCESSABLE"),
    );
    expect(await gateway.read("shop", (view) => view.payin(record.id))).toMatchObject({
      status: "expired",
      settledAtMs: START_MS + 240_000,
      endToEndId: null,
    });
  });

  it("expired at its own time, however late it is read", async () => {
    const { gateway, clock, record } = await setUp();
    clock.moveTo(START_MS + 1_000_000);

    expect(await gateway.read("shop", (view) => view.payin(record.id)?.settledAtMs)).toBe(
      START_MS + 240_000,
    );
  });

  it("stays settled if it was settled before", async () => {
    const { gateway, clock, record } = await setUp();
    const paid = await gateway.movePayin("shop", record.id, "pay");
    clock.moveTo(START_MS + 240_000);
    gateway.catchUp.run();

    expect(await gateway.read("shop", (view) => view.payin(record.id))).toEqual(paid);
  });

  it("expires in one change with all due payins, in the order of their times", async () => {
    const store = new HeldStore();
    const { gateway, clock } = createGateway({
      store,
      assumptions: { "payin.expiry_event": "webhook" },
    });
    const ids: string[] = [];
    for (const expirationSeconds of [40, 20, 30, 20]) {
      const { record } = await gateway.createPayin(payinCall({ draft: { expirationSeconds } }));
      ids.push(record.id);
    }
    clock.moveTo(START_MS + 30_000);
    gateway.catchUp.run();

    const change = store.changes.at(-1);
    const inOrder = [ids[1], ids[3], ids[2]];
    expect(change?.payins?.map(({ id }) => id)).toEqual(inOrder);
    expect(change?.deliveries?.map(({ transactionId }) => transactionId)).toEqual(inOrder);
    const numbers = gateway.eventLog.after(4, 100).map(({ number }) => number);
    expect(numbers).toEqual([5, 6, 7, 8, 9, 10]);
  });

  it("expires with very many others in changes that stay small, and may be taken a few at a time", async () => {
    const store = new HeldStore();
    const { gateway, clock, dueQueue } = createGateway({ store });
    for (let count = 0; count < 250; count++) await gateway.createPayin(payinCall());
    const before = store.changes.length;
    clock.moveTo(START_MS + 240_000);

    gateway.catchUp.run(1);
    expect(dueQueue.size).toBe(150);
    gateway.catchUp.run();
    const sizes = store.changes.slice(before).map(({ payins }) => payins?.length);
    expect(sizes).toEqual([100, 100, 50]);
    const page = await gateway.read("shop", (view) =>
      view.payins({ limit: 1000 }, { status: "expired" }),
    );
    expect(page?.rows.length).toBe(250);
  });
});

describe("a simulation", () => {
  it.each(["payin", "payout"] as const)(
    "is refused for an unknown %s, and for another integration's",
    async (noun) => {
      const { gateway } = createGateway();
      const id = await create(gateway, noun);
      const unknown = refusal("NOT_PROCESSABLE", "transaction_id");

      await expect(simulate(gateway, noun, "shop", "no such id")).rejects.toEqual(unknown);
      await expect(simulate(gateway, noun, "other", id)).rejects.toEqual(unknown);
      await expect(
        simulate(gateway, noun === "payin" ? "payout" : "payin", "shop", id),
      ).rejects.toEqual(unknown);
      expect(await simulate(gateway, noun, "shop", id)).toMatchObject({ status: "completed" });
    },
  );

  it.each(["payin", "payout"] as const)(
    "of a %s is refused in production, whatever it names",
    async (noun) => {
      const { gateway } = createGateway({ assumptions: { environment: "production" } });
      const id = await create(gateway, noun);

      for (const named of [id, "no such id"])
        await expect(simulate(gateway, noun, "shop", named)).rejects.toMatchObject({
          code: "NOT_PROCESSABLE",
          message: "Simulations exist in the staging environment only.",
          fields: [],
        });
    },
  );

  it.each(["payin", "payout"] as const)(
    "of a %s that is final makes no second event",
    async (noun) => {
      for (const choice of ["reject", "repeat"] as const) {
        const { gateway, records } = createGateway({ assumptions: { "simulation.final": choice } });
        const id = await create(gateway, noun);
        const settled = await simulate(gateway, noun, "shop", id);

        const again = simulate(gateway, noun, "shop", id);
        if (choice === "repeat") expect(await again).toEqual(settled);
        else await expect(again).rejects.toEqual(refusal("NOT_PROCESSABLE", "transaction_id"));
        expect(records.deliveries.size).toBe(1);
      }
    },
  );

  it("of a payout with another final status is refused, even if repeats are accepted", async () => {
    const { gateway } = createGateway({ assumptions: { "simulation.final": "repeat" } });
    const { record } = await gateway.createPayout(payoutCall());
    await gateway.simulatePayout("shop", record.id, "canceled");

    await expect(gateway.simulatePayout("shop", record.id, "completed")).rejects.toEqual(
      refusal("NOT_PROCESSABLE", "transaction_id"),
    );
  });

  it("runs one at a time: of 20 at once, one settles the payout", async () => {
    const { gateway, records } = createGateway();
    const { record } = await gateway.createPayout(payoutCall());
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        gateway.simulatePayout("shop", record.id, index % 2 === 0 ? "completed" : "canceled"),
      ),
    );

    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(records.payouts.get(record.id)?.status).toBe("completed");
    expect(records.deliveries.size).toBe(1);
  });
});

describe("a move by a control route", () => {
  it.each([
    ["pay", "paid", "paid"],
    ["pay", "completed", "completed"],
    ["cancel", "paid", "canceled"],
    ["expire", "paid", "expired"],
  ] as const)("%s (payin.paid_status=%s) makes a payin %s", async (move, paidStatus, status) => {
    const { gateway } = createGateway({ assumptions: { "payin.paid_status": paidStatus } });
    const { record } = await gateway.createPayin(payinCall());
    const moved = await gateway.movePayin("shop", record.id, move);

    expect(moved).toMatchObject({ status, settledAtMs: START_MS });
    expect(moved?.endToEndId).toEqual(move === "pay" ? expect.stringMatching(/^E\w{31}$/) : null);
  });

  it("is undefined for other integrations' records, and found without an integration", async () => {
    const { gateway } = createGateway();
    const { record: charge } = await gateway.createPayin(payinCall());
    const { record: payment } = await gateway.createPayout(payoutCall());

    expect(await gateway.movePayin("other", charge.id, "pay")).toBeUndefined();
    expect(await gateway.movePayin("shop", payment.id, "pay")).toBeUndefined();
    expect(await gateway.movePayout("other", payment.id, "completed")).toBeUndefined();
    expect(await gateway.movePayin(null, charge.id, "pay")).toMatchObject({ status: "paid" });
    expect(await gateway.movePayout(null, payment.id, "canceled")).toMatchObject({
      status: "canceled",
      endToEndId: null,
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

  it("add up", async () => {
    const { gateway } = createGateway();
    await gateway.changeAssumptions("shop", { "payout.rival": "allow" });
    const held = await gateway.changeAssumptions("shop", { "error.language": "pt" });

    expect(held).toMatchObject({ "payout.rival": "allow", "error.language": "pt" });
  });
});

describe("an answer", () => {
  /** Each call that answers something, made where nothing is durable any more. */
  const CALLS: Readonly<
    Record<
      string,
      (made: TestGateway, ids: { payin: string; payout: string; event: string }) => Promise<unknown>
    >
  > = {
    "the first answer of a payin": ({ gateway }) => gateway.createPayin(payinCall()),
    "the first answer of a payout": ({ gateway }) =>
      gateway.createPayout(payoutCall({ draft: { receiverCpf: "11144477735" } })),
    "the answer of a payout that a rival cancels": ({ gateway }) =>
      gateway.createPayout(payoutCall()),
    "a repeat": ({ gateway }) => gateway.createPayin(payinCall({ key: "order-1" })),
    "a repeat of a payout": ({ gateway }) => gateway.createPayout(payoutCall({ key: "order-2" })),
    "the refusal of a key that is used": ({ gateway }) =>
      gateway.createPayin(payinCall({ key: "order-1", draft: { valueCents: 1 } })),
    "a read of a record": ({ gateway }, { payin }) =>
      gateway.read("shop", (view) => view.payin(payin)),
    "a read of a list": ({ gateway }) => gateway.read(null, (view) => view.payouts({ limit: 1 })),
    "a read of a delivery": ({ gateway }, { event }) => gateway.delivery(event),
    "a read of nothing": ({ gateway }) => gateway.read("shop", (view) => view.payin("no such id")),
    "a simulation": ({ gateway }, { payout }) =>
      gateway.simulatePayout("shop", payout, "completed"),
    "an already-final refusal": ({ gateway }, { payin }) =>
      gateway.simulatePayin("shop", payin, "completed"),
    "the refusal of an unknown transaction": ({ gateway }) =>
      gateway.simulatePayin("shop", "no such id", "completed"),
    "a move": ({ gateway }, { payout }) => gateway.movePayout(null, payout, "canceled"),
    "the refusal of a move": ({ gateway }, { payin }) => gateway.movePayin(null, payin, "pay"),
    "a configured webhook": ({ gateway }) =>
      gateway.configureWebhook({
        integration: "shop",
        webhookUrl: "http://localhost/",
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
      made.gateway.createPayin(payinCall({ key: "order-1" })),
      made.gateway.createPayout(payoutCall({ key: "order-2" })),
    ];
    const [payin] = store.records.payins.all();
    const [payout] = store.records.payouts.all();
    unanswered.push(made.gateway.simulatePayin("shop", payin?.id ?? "", "completed") as never);
    const [delivery] = store.records.deliveries.all();
    for (const each of unanswered) each.catch(() => undefined);
    return {
      made,
      store,
      unanswered,
      ids: { payin: payin?.id ?? "", payout: payout?.id ?? "", event: delivery?.id ?? "" },
    };
  };

  it.each(Object.entries(CALLS))("leaves only when it is durable: %s", async (_title, call) => {
    const { made, store, ids } = await setUp();
    const answer = call(made, ids);
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
      store.fail(new StorageError({ en: "The disk is full.", pt: "O disco está cheio." }));

      await expect(answer).rejects.toThrow(StorageError);
    },
  );

  it("resolves at once if nothing waits to be durable", async () => {
    const store = new HeldStore();
    const { gateway } = createGateway({ store });
    store.hold();

    expect(await gateway.read("shop", (view) => view.payin("no such id"))).toBeUndefined();
    await expect(gateway.simulatePayin("shop", "no such id", "completed")).rejects.toEqual(
      refusal("NOT_PROCESSABLE"),
    );
  });

  it("waits for what fell due at its call, too", async () => {
    const store = new HeldStore();
    const { gateway, clock } = createGateway({ store });
    const { record } = await gateway.createPayin(payinCall());
    store.hold();
    clock.moveTo(START_MS + 240_000);

    const answer = gateway.read("shop", (view) => view.payin(record.id)?.status);
    const answered = watch(answer);
    await turns();
    expect(answered.isSettled).toBe(false);
    store.release();
    expect(await answer).toBe("expired");
  });

  it("is the result at the time of the call, whatever happens while it waits", async () => {
    const store = new HeldStore();
    const { gateway } = createGateway({ store });
    const { record } = await gateway.createPayout(payoutCall());
    store.hold();
    const read = gateway.read("shop", (view) => view.payout(record.id)?.status);
    const completed = gateway.simulatePayout("shop", record.id, "completed");
    const canceled = gateway.simulatePayout("shop", record.id, "canceled");
    canceled.catch(() => undefined);
    store.release();

    expect(await read).toBe("waiting");
    expect(await completed).toMatchObject({ status: "completed" });
    await expect(canceled).rejects.toEqual(refusal("NOT_PROCESSABLE", "transaction_id"));
  });
});

describe("a change", () => {
  it("holds the record, its key and its webhooks: all or nothing", async () => {
    const store = new HeldStore();
    const { gateway } = createGateway({ store });
    await gateway.configureWebhook({
      integration: "shop",
      webhookUrl: "http://localhost/configured",
      events: ["payment.received"],
    });
    const call = payinCall({ key: "order-1" });
    const { record } = await gateway.createPayin(call);
    expect(store.changes.at(-1)).toEqual({ payins: [record] });
    expect(record).toMatchObject({ idempotencyKey: "order-1", request: call.request });

    await gateway.simulatePayin("shop", record.id, "completed");
    expect(store.changes.at(-1)?.payins).toMatchObject([{ id: record.id, status: "completed" }]);
    expect(store.changes.at(-1)?.deliveries?.map(({ type }) => type)).toEqual([
      "payin.paid",
      "payment.received",
    ]);
  });

  it("is one for each decision, and none for a read, a repeat or a refusal", async () => {
    const store = new HeldStore();
    const { gateway } = createGateway({ store });
    const call = payinCall({ key: "order-1" });
    const { record } = await gateway.createPayin(call);
    expect(store.changes).toHaveLength(1);

    await gateway.createPayin(call);
    await gateway.read(null, (view) => view.payins({ limit: 10 }));
    await Promise.allSettled([
      gateway.createPayin(payinCall({ key: "order-1", draft: { valueCents: 1 } })),
      gateway.simulatePayin("shop", "no such id", "completed"),
    ]);
    expect(store.changes).toHaveLength(1);

    await gateway.simulatePayin("shop", record.id, "completed");
    await Promise.allSettled([gateway.simulatePayin("shop", record.id, "completed")]);
    expect(store.changes).toHaveLength(2);
  });
});

describe("an integration", () => {
  it("sees only its own records", async () => {
    const { gateway } = createGateway();
    const mine = await create(gateway, "payin");
    const { record: theirs } = await gateway.createPayin(payinCall({ integration: "other" }));
    await gateway.simulatePayin("other", theirs.id, "completed");

    const seen = (integration: string | null) =>
      gateway.read(integration, (view) => ({
        payins: view.payins({ limit: 10 })?.rows.map(({ id }) => id),
        deliveries: view.deliveries({ limit: 10 })?.rows.length,
        mine: view.payin(mine)?.id,
        integrations: view.integrations(),
      }));
    expect(await seen("shop")).toEqual({
      payins: [mine],
      deliveries: 0,
      mine,
      integrations: ["shop"],
    });
    expect(await seen("other")).toEqual({
      payins: [theirs.id],
      deliveries: 1,
      mine: undefined,
      integrations: ["other"],
    });
    expect(await seen(null)).toMatchObject({
      payins: [mine, theirs.id],
      integrations: ["shop", "other"],
    });
    expect(await seen("nobody")).toEqual({
      payins: [],
      deliveries: 0,
      mine: undefined,
      integrations: [],
    });
  });
});

async function create(gateway: Gateway, noun: "payin" | "payout"): Promise<string> {
  const created =
    noun === "payin"
      ? await gateway.createPayin(payinCall())
      : await gateway.createPayout(payoutCall());
  return created.record.id;
}

function simulate(
  gateway: Gateway,
  noun: "payin" | "payout",
  token: string,
  id: string,
): Promise<unknown> {
  return noun === "payin"
    ? gateway.simulatePayin(token, id, "completed")
    : gateway.simulatePayout(token, id, "completed");
}

describe("an attempt whose result is noted", () => {
  it("is applied at once, and does not make the store write", async () => {
    const store = new HeldStore();
    const { gateway, records } = createGateway({ store });
    const { record } = await gateway.createPayin(payinCall({ key: "paid" }));
    await gateway.simulatePayin("shop", record.id, "completed");
    const [delivery] = records.deliveries.all();
    const durable = vi.spyOn(store, "durable");
    gateway.noteAttempt(delivery?.id ?? "", attemptResult());
    gateway.noteAttempt("no such delivery", attemptResult());

    expect(records.deliveries.get(delivery?.id ?? "")?.attempts).toHaveLength(1);
    expect(durable).not.toHaveBeenCalled();
  });
});

describe("a store that accepts changes again", () => {
  it("has what fell due meanwhile happen: expiry that was rolled back, attempts that could not be recorded", async () => {
    const store = new HeldStore();
    const { gateway, clock, started, records } = createGateway({ store });
    const paid = await gateway.createPayin(payinCall({ key: "paid" }));
    const lapsing = await gateway.createPayin(payinCall({ key: "lapsing" }));
    await gateway.simulatePayin("shop", paid.record.id, "completed");
    gateway.catchUp.run();
    expect(started).toHaveLength(1);

    const refuse = (): never => {
      throw new StorageError({ en: "the disk is full", pt: "o disco está cheio" });
    };
    const commit = store.commit.bind(store);
    store.commit = refuse;
    const [delivery] = started;
    await expect(gateway.recordAttempt(delivery?.id ?? "", attemptResult())).rejects.toThrow(
      StorageError,
    );
    // It was applied, and is rolled back.
    store.commit = commit;
    clock.moveTo(lapsing.record.expiresAtMs);
    gateway.catchUp.run();
    expect(records.payins.get(lapsing.record.id)?.status).toBe("expired");
    records.apply({ payins: [lapsing.record] });

    gateway.catchUp.run();
    expect([started.length, records.payins.get(lapsing.record.id)?.status]).toEqual([1, "waiting"]);
    store.onRecovered?.();
    gateway.catchUp.run();
    expect(started.map(({ id }) => id)).toEqual([delivery?.id, delivery?.id]);
    expect(records.payins.get(lapsing.record.id)?.status).toBe("expired");
  });
});

import { toIso } from "../../../src/wire/timestamp.ts";
import type { Kind } from "../../../src/core/records/transaction.ts";
import { describe, expect, it } from "vitest";
import type { Gateway } from "../../../src/core/operations/gateway.ts";
import {
  createGateway,
  HeldStore,
  payinCall,
  payoutCall,
  START_MS,
  listsIn,
  createPayin,
  createPayout,
  payinsOf,
  payoutsOf,
} from "../../support/core.ts";
import { create, refusal } from "./gateway.ts";

describe("a payin that is created", () => {
  it("is the request with its ids, times and code", async () => {
    const { gateway, records } = createGateway();
    const call = payinCall({ draft: { description: "Pedido 42", expiration: 20 } });
    const { record, isRepeat } = await createPayin(gateway, call);

    expect(isRepeat).toBe(false);
    expect(record).toMatchObject({
      ...call.draft,
      integration: "shop",
      status: "waiting",
      created_at: toIso(START_MS),
      expires_at: toIso(START_MS + 20_000),
      settled_at: null,
      end_to_end_id: null,
    });
    expect(record.qr_code).toContain(`pix-sandbox.example/qr/v2/${record.pix_id}`);
    expect(record.qr_code).toContain("Loja da Maria");
    expect(records.transactions.get(record.id)).toMatchObject({
      record,
      ordinal: 1,
      dueMs: START_MS + 20_000,
    });
  });

  it("is the same for the same seed and calls, whatever happens in other integrations between", async () => {
    const quiet = createGateway({ seed: "42" });
    const busy = createGateway({ seed: "42" });
    await createPayin(busy.gateway, payinCall({ integration: "other" }));
    await createPayout(busy.gateway, payoutCall({ integration: "another" }));
    const [one, other] = await Promise.all(
      [quiet, busy].map(async ({ gateway }) => createPayin(gateway, payinCall({ key: "order-1" }))),
    );

    expect(one?.record).toEqual(other?.record);
  });
});

describe("a repeated call", () => {
  it.each([2, 10, 100])(
    "makes one record of %i calls at once, and answers all of them the same",
    async (count) => {
      const { gateway, records } = createGateway();
      const call = payinCall({ key: "order-1" });
      const answers = await Promise.all(
        Array.from({ length: count }, async () => createPayin(gateway, call)),
      );

      expect(payinsOf(records).length).toBe(1);
      expect(answers.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1);
      for (const { record } of answers) expect(record).toEqual(answers[0]?.record);
    },
  );

  it("of a payout creates no second one, not even a rival", async () => {
    const { gateway, records } = createGateway({ assumptions: { "payout.rival": "reject" } });
    const call = payoutCall({ key: "order-1" });
    const first = await createPayout(gateway, call);
    const again = await createPayout(gateway, call);

    expect(again).toEqual({ ...first, isRepeat: true });
    expect(payoutsOf(records).length).toBe(1);
  });

  it("is answered with the record of the first one as it now is", async () => {
    const { gateway } = createGateway();
    const call = payinCall({ key: "order-1" });
    const { record } = await createPayin(gateway, call);
    await gateway.simulate("payin", { integration: "shop", id: record.id, status: "completed" });

    const again = await createPayin(gateway, call);
    expect(again).toMatchObject({ isRepeat: true, record: { id: record.id, status: "completed" } });
  });

  it("with another request is refused before any rule is looked at, and changes nothing", async () => {
    const { gateway, records } = createGateway({ assumptions: { "payout.rival": "reject" } });
    await createPayout(gateway, payoutCall({ key: "order-1" }));
    const before = records.listsOf(null);
    const { last } = gateway.events;

    const other = createPayout(gateway, payoutCall({ key: "order-1", draft: { value: 1 } }));
    await expect(other).rejects.toEqual(refusal("DUPLICATED_VALUE", "x-idempotency-key"));
    expect(records.listsOf(null)).toEqual(before);
    expect(gateway.events.last).toBe(last);
  });

  it("of the other operation is refused under the same key", async () => {
    const { gateway } = createGateway();
    await createPayin(gateway, payinCall({ key: "order-1" }));

    await expect(createPayout(gateway, payoutCall({ key: "order-1" }))).rejects.toEqual(
      refusal("DUPLICATED_VALUE", "x-idempotency-key"),
    );
  });

  it("of another integration is a first one", async () => {
    const { gateway } = createGateway();
    const call = payinCall({ key: "order-1" });
    const mine = await createPayin(gateway, call);
    const theirs = await createPayin(gateway, { ...call, integration: "other" });

    expect(theirs.isRepeat).toBe(false);
    expect(theirs.record.id).not.toBe(mine.record.id);
  });

  it("uses no key if the first call was refused", async () => {
    const { gateway, records } = createGateway({ assumptions: { "payout.rival": "reject" } });
    const first = await createPayout(gateway, payoutCall());
    const call = payoutCall({ key: "order-2" });
    await expect(createPayout(gateway, call)).rejects.toEqual(refusal("NOT_PROCESSABLE"));
    expect(records.takenFor("shop", "order-2")).toBeUndefined();

    await gateway.simulate("payout", {
      integration: "shop",
      id: first.record.id,
      status: "completed",
    });
    expect(await createPayout(gateway, call)).toMatchObject({ isRepeat: false });
  });

  it("is known until its key's time has passed by a time that a restart does not take back", async () => {
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

describe("a second payout to a receiver with one in progress", () => {
  it("is created and canceled in one change, with the webhook that reports it", async () => {
    const store = new HeldStore();
    const { gateway } = createGateway({ store });
    const first = await createPayout(gateway, payoutCall());
    const second = await createPayout(gateway, payoutCall({ key: "order-2" }));

    expect(second.record.status).toBe("waiting");
    const change = listsIn(store.changes.at(-1));
    expect(change.transactions).toMatchObject([
      {
        record: { ...second.record, status: "canceled", settled_at: toIso(START_MS) },
        key: "order-2",
        dueMs: null,
      },
    ]);
    expect(change.deliveries).toEqual([
      expect.objectContaining({ type: "payout.canceled", transactionId: second.record.id }),
    ]);
    expect(store.records.transactions.get(first.record.id)?.record.status).toBe("waiting");
  });

  it("is the only one of 100 at once that is left waiting", async () => {
    const { gateway, records } = createGateway();
    await Promise.all(Array.from({ length: 100 }, async () => createPayout(gateway, payoutCall())));

    const statuses = payoutsOf(records).map(({ status }) => status);
    expect(statuses).toEqual(["waiting", ...Array.from({ length: 99 }, () => "canceled")]);
  });

  it("is refused with the choice to reject, and leaves nothing behind", async () => {
    const { gateway, records } = createGateway({ assumptions: { "payout.rival": "reject" } });
    await createPayout(gateway, payoutCall());

    await expect(createPayout(gateway, payoutCall())).rejects.toEqual(
      refusal("NOT_PROCESSABLE", "receiver_cpf"),
    );
    expect(payoutsOf(records).length).toBe(1);
    expect(records.deliveries.size).toBe(0);
  });

  it.each(["completed", "canceled"] as const)(
    "is a first one when the other is %s",
    async (status) => {
      const { gateway, records } = createGateway();
      const { record } = await createPayout(gateway, payoutCall());
      await gateway.simulate("payout", { integration: "shop", id: record.id, status: status });
      const second = await createPayout(gateway, payoutCall());

      expect(records.transactions.get(second.record.id)?.record.status).toBe("waiting");
    },
  );

  it.each([
    ["receiver_cpf", "other CPF, same key", { receiver_cpf: "11144477735" }, "waiting"],
    ["receiver_cpf", "same CPF, other key", { pix_key: "11144477735" }, "canceled"],
    ["pix_key", "other CPF, same key", { receiver_cpf: "11144477735" }, "canceled"],
    ["pix_key", "same CPF, other key", { pix_key: "11144477735" }, "waiting"],
  ] as const)("is known by %s: %s", async (recipient, _title, draft, status) => {
    const { gateway, records } = createGateway({ assumptions: { "payout.recipient": recipient } });
    await createPayout(gateway, payoutCall());
    const { record } = await createPayout(gateway, payoutCall({ draft }));

    expect(records.transactions.get(record.id)?.record.status).toBe(status);
  });

  it("does not meet one of another integration", async () => {
    const { gateway, records } = createGateway();
    await createPayout(gateway, payoutCall({ integration: "other" }));
    const { record } = await createPayout(gateway, payoutCall());

    expect(records.transactions.get(record.id)?.record.status).toBe("waiting");
  });
});

describe("a payin whose time comes", () => {
  const setUp = async () => {
    const made = createGateway();
    const { record } = await createPayin(made.gateway, payinCall());
    return { ...made, record };
  };

  it("waits to the last millisecond before", async () => {
    const { gateway, clock, record } = await setUp();
    clock.moveTo(START_MS + 239_999);

    expect(await gateway.read("shop", (view) => view.payin(record.id)?.record.status)).toBe(
      "waiting",
    );
    expect(
      await gateway.simulate("payin", { integration: "shop", id: record.id, status: "completed" }),
    ).toMatchObject({ record: { status: "completed" } });
  });

  it("is expired at exactly its millisecond, for reads and for settlements", async () => {
    const { gateway, clock, record } = await setUp();
    clock.moveTo(START_MS + 240_000);

    await expect(
      gateway.simulate("payin", { integration: "shop", id: record.id, status: "completed" }),
    ).rejects.toEqual(refusal("NOT_PROCESSABLE", "transaction_id"));
    await expect(gateway.move("shop", "payin", record.id, "pay")).rejects.toEqual(
      refusal("NOT_PROCESSABLE"),
    );
    expect(await gateway.read("shop", (view) => view.payin(record.id))).toMatchObject({
      record: {
        status: "expired",
        settled_at: toIso(START_MS + 240_000),
        end_to_end_id: null,
      },
    });
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
      expect(await simulate(gateway, noun, "shop", id)).toMatchObject({
        record: { status: "completed" },
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
    const { record } = await createPayout(gateway, payoutCall());
    await gateway.simulate("payout", { integration: "shop", id: record.id, status: "canceled" });

    await expect(
      gateway.simulate("payout", { integration: "shop", id: record.id, status: "completed" }),
    ).rejects.toEqual(refusal("NOT_PROCESSABLE", "transaction_id"));
  });

  it("runs one at a time: of 20 at once, one settles the payout", async () => {
    const { gateway, records } = createGateway();
    const { record } = await createPayout(gateway, payoutCall());
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, async (_, index) =>
        gateway.simulate("payout", {
          integration: "shop",
          id: record.id,
          status: index % 2 === 0 ? "completed" : "canceled",
        }),
      ),
    );

    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(records.transactions.get(record.id)?.record.status).toBe("completed");
    expect(records.deliveries.size).toBe(1);
  });
});

function simulate(gateway: Gateway, noun: "payin" | "payout", integration: string, id: string) {
  return gateway.simulate<Kind>(noun, { integration, id, status: "completed" });
}

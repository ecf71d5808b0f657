import { SECOND, start } from "../operations/clocked-gateway.ts";
import { describe, expect, it } from "vitest";
import { StorageError } from "../../../src/core/state/ports.ts";
import { type Change, Records } from "../../../src/core/state/records.ts";
import {
  createGateway,
  delivery,
  HeldStore,
  payin,
  payinCall,
  payout,
  payoutCall,
  randomChange,
  randomFrom,
  START_MS,
  turns,
  worldOf,
  attemptResult,
} from "../../support/core.ts";
import { say } from "../../../src/text/message.ts";

const INTEGRATIONS = [null, "shop", "other"] as const;

describe("a change that replaces", () => {
  it.each(INTEGRATIONS)("removes all records of %j, and nothing else", (integration) => {
    const records = manyRecords(7);
    const before = records.toChange();
    records.apply({ replaces: { integration, eventNumber: records.takeEventNumber() } });

    const isLeft = (row: { integration: string }): boolean =>
      integration !== null && row.integration !== integration;
    expect(records.toChange()).toEqual({
      payins: before.payins?.filter(isLeft),
      payouts: before.payouts?.filter(isLeft),
      deliveries: before.deliveries?.filter(isLeft),
      webhookConfigurations: before.webhookConfigurations?.filter(isLeft),
      changedAssumptions: before.changedAssumptions?.filter(
        (row) => integration !== null && row.integration !== integration,
      ),
    });
    expect(records.payins.all().length + records.payouts.all().length > 0).toBe(
      integration !== null,
    );
  });

  it.each(INTEGRATIONS)(
    "of %j is rolled back to the previous records, in the same order",
    (integration) => {
      for (let seed = 1; seed <= 20; seed++) {
        const records = manyRecords(seed);
        const before = standingOf(records);
        const rows = integration === null ? manyRecords(seed + 100).toChange() : {};
        const replaces = { integration, eventNumber: records.takeEventNumber() };
        const undos = [
          records.apply({
            payins: [payin({ id: "earlier", idempotencyKey: "a", eventNumber: 1 })],
          }),
          records.apply({ replaces, ...rows }),
          records.apply({ payins: [payin({ id: "later", idempotencyKey: "b", eventNumber: 1 })] }),
        ];
        for (const undo of undos.toReversed()) undo();

        expect(standingOf(records)).toEqual(before);
      }
    },
  );

  it("restores the previous records from a copy", () => {
    const records = manyRecords(3);
    const whole = records.toChange();
    const share = records.shareOf("shop");
    records.apply({ replaces: { integration: null, eventNumber: 1 }, ...whole });
    expect(rowsOf(records)).toEqual(rowsOf(manyRecords(3)));
    records.apply({ replaces: { integration: "shop", eventNumber: 1 }, ...share });
    expect(records.shareOf("shop")).toEqual(share);
    expect(records.shareOf("other")).toEqual(manyRecords(3).shareOf("other"));
  });

  it("drops history of the current records, in the order in which they were finished", () => {
    const records = new Records(2);
    const finish = (id: string): void => {
      records.apply({
        deliveries: [delivery({ id, status: "delivered", nextAttemptAtMs: null })],
      });
    };
    for (const id of ["evt_1", "evt_0"]) finish(id);
    records.apply({ replaces: { integration: "shop", eventNumber: 9 } })();
    finish("evt_2");
    expect(records.deliveries.all().map(({ id }) => id)).toEqual(["evt_0", "evt_2"]);
    records.apply({ replaces: { integration: "shop", eventNumber: 9 } });
    for (const id of ["evt_2", "evt_3"]) finish(id);
    expect(records.deliveries.all().map(({ id }) => id)).toEqual(["evt_2", "evt_3"]);
    finish("evt_4");
    expect(records.deliveries.all().map(({ id }) => id)).toEqual(["evt_3", "evt_4"]);
  });
});

describe("the gateway after a reset", () => {
  it("takes keys and receivers anew", async () => {
    const { gateway } = createGateway();
    await gateway.createPayout(payoutCall({ key: "order-1" }));
    await gateway.replace("shop", () => ({}));
    const { record, isRepeat } = await gateway.createPayout(
      payoutCall({ key: "order-1", draft: { valueCents: 1 } }),
    );
    expect({ status: record.status, isRepeat }).toEqual({ status: "waiting", isRepeat: false });
  });

  it("has the choices and the webhook configuration of the start", async () => {
    const { gateway } = createGateway();
    await gateway.changeAssumptions("shop", { "payout.rival": "reject" });
    await gateway.changeAssumptions(null, { "payout.rival": "allow" });
    await gateway.configureWebhook({ integration: "shop", webhookUrl: "http://a/", events: [] });
    await gateway.replace("shop", () => ({}));
    expect(gateway.assumptionsOf("shop")["payout.rival"]).toBe("allow");
    expect(await gateway.read("shop", (view) => view.webhookConfiguration())).toBeUndefined();
    await gateway.replace(null, () => ({}));
    expect(gateway.assumptionsOf("shop")["payout.rival"]).toBe("cancel");
  });

  it("runs no task of the removed records", async () => {
    const { gateway, clock, dueQueue, records } = createGateway();
    await gateway.createPayin(payinCall({ draft: { expirationSeconds: 20 } }));
    clock.moveTo(START_MS + 10 * SECOND);
    await gateway.replace("shop", () => ({}));
    const { record } = await gateway.createPayin(payinCall({ draft: { expirationSeconds: 20 } }));

    expect(dueQueue.size).toBe(1);
    clock.moveTo(START_MS + 20 * SECOND);
    gateway.catchUp.run();
    expect(records.payins.get(record.id)?.status).toBe("waiting");
    clock.moveTo(START_MS + 30 * SECOND);
    gateway.catchUp.run();
    expect(records.payins.get(record.id)?.status).toBe("expired");
  });

  it("has one entry per due task, however often the records are replaced", async () => {
    const { gateway, dueQueue } = createGateway();
    for (let count = 0; count < 3; count++) await gateway.createPayin(payinCall());
    const rows = await gateway.rowsOf("shop");
    for (let count = 0; count < 5; count++) await gateway.replace("shop", () => rows);
    expect(dueQueue.size).toBe(3);
  });

  it("notifies listeners of the reset only", async () => {
    const { gateway } = createGateway();
    await live(gateway);
    const rows = await gateway.rowsOf(null);
    gateway.eventLog.onMore(() => undefined);
    const place = gateway.lastEventNumber;
    await gateway.replace("shop", () => rows);
    expect(gateway.eventLog.after(place, 100)).toEqual([
      { number: place + 1, kind: "reset", integration: "shop" },
    ]);
  });

  it("leaves the clock unchanged if the store cannot write the reset", async () => {
    const store = new HeldStore();
    const { gateway, clock, records } = createGateway({ store });
    await live(gateway);
    clock.moveTo(START_MS + 5 * SECOND);
    store.hold();
    const reset = gateway.replace(null, () => ({ clock: clock.start }));
    expect(records.payins.size).toBe(0);
    store.fail(new StorageError(say`The disk is full.`));

    await expect(reset).rejects.toThrow("The disk is full.");
    expect(clock.nowMs()).toBe(START_MS + 5 * SECOND);
  });
});

describe("a reset of all while time is moved", () => {
  it("ends the move early, and puts the clock back to its start", async () => {
    const { clockDriver, gateway, clock, sender, records } = start();
    sender.answer = () => new Promise(() => undefined);
    const { record } = await gateway.createPayin(
      payinCall({ draft: { expirationSeconds: 172_800 } }),
    );
    await gateway.movePayin("shop", record.id, "pay");
    // A move that went on would wait for the webhook of its expiry too.
    await gateway.changeAssumptions(null, { "payin.expiry_event": "webhook" });
    await gateway.createPayin(payinCall({ draft: { expirationSeconds: 20 } }));
    const advance = clockDriver.advanceBy(3600 * SECOND);
    await turns();
    expect(sender.begun).toHaveLength(1);
    await clockDriver.replace(null, () => ({ clock: clock.start }));

    expect(clock.nowMs()).toBe(START_MS);
    expect(await advance).toEqual([]);
    expect(records.clock).toEqual(clock.start);
    sender.answer = () => attemptResult();
    await clockDriver.advanceBy(SECOND);
    expect(clock.nowMs()).toBe(START_MS + SECOND);
  });

  it("leaves the time unchanged for one integration", async () => {
    const { clockDriver, clock } = start();
    await clockDriver.advanceBy(60 * SECOND);
    await clockDriver.replace("shop", () => ({}));
    expect(clock.nowMs()).toBe(START_MS + 60 * SECOND);
  });

  it("runs a snapshot's overdue tasks at once", async () => {
    const { clockDriver, gateway, clock, timer, records } = start();
    const { record } = await gateway.createPayin(payinCall({ draft: { expirationSeconds: 20 } }));
    const { clock: _time, ...rows } = await gateway.rowsOf(null);
    const later: Change = { ...rows, clock: { mode: "frozen", nowMs: START_MS + 60 * SECOND } };
    await clockDriver.replace(null, () => later);
    expect(clock.nowMs()).toBe(START_MS + 60 * SECOND);
    expect(timer.delayMs).toBe(0);
    timer.ring();
    expect(records.payins.get(record.id)?.status).toBe("expired");
  });
});

function manyRecords(seed: number): Records {
  const world = worldOf();
  const random = randomFrom(seed);
  for (let step = 1; step <= 60; step++)
    world.happen(({ take }) => randomChange(world, random, take, step));
  for (const integration of ["shop", "other"]) {
    const configuration = { integration, webhookUrl: "http://127.0.0.1/", events: [] };
    const changes = { integration, changes: { environment: "production" as const } };
    world.records.apply({
      webhookConfigurations: [configuration],
      changedAssumptions: [changes],
      payouts: [payout({ id: `${integration} ${seed}`, integration, ordinal: 99, eventNumber: 1 })],
    });
  }
  return world.records;
}

/** All that can be seen of records, with what is looked up by something else than an id. */
function standingOf(records: Records): unknown {
  const indexes = [...records.integrations].map(([token, index]) => [
    token,
    index.lastOrdinal,
    index.usedKeys.size,
    [...index.waitingByCpf],
    [...index.waitingByPixKey],
  ]);
  return { rows: records.toChange(), indexes, key: records.takenFor("shop", "order-1") };
}

/** The order of settings means nothing. */
function rowsOf(records: Records): unknown {
  const { webhookConfigurations = [], changedAssumptions = [], ...rows } = records.toChange();
  return { ...rows, settings: new Set([...webhookConfigurations, ...changedAssumptions]) };
}

type Gateway = ReturnType<typeof createGateway>["gateway"];

/** A payin that is paid and a payout that waits. */
async function live(gateway: Gateway): Promise<Change> {
  const { record } = await gateway.createPayin(payinCall({ key: "a" }));
  await gateway.movePayin("shop", record.id, "pay");
  await gateway.createPayout(payoutCall({ key: "b" }));
  return gateway.rowsOf("shop");
}

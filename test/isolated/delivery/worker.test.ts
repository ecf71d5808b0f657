import { describe, expect, it, vi } from "vitest";
import { StorageError } from "../../../src/core/state/ports.ts";
import { deferred, payinCall, START_MS, turns, createPayin } from "../../support/core.ts";
import { verified } from "../../support/merchant.ts";
import { SECRET, setUp, theDelivery, useFakeTimers, useWorkers } from "./worker.ts";
import { say } from "../../../src/text/message.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));
useWorkers();

describe("a webhook", () => {
  it("is not sent before the event that it reports is durable", async () => {
    const { merchant, store, worker, gateway } = await setUp();
    const { record } = await createPayin(
      gateway,
      payinCall({ draft: { webhook_url: merchant.url } }),
    );
    store.hold();
    const paid = gateway.move("shop", "payin", record.id, "pay");
    gateway.due.run();
    await turns(20);
    expect(merchant.received).toEqual([]);

    store.release();
    await paid;
    await merchant.waitFor(1);
    store.letGo();
    await worker.idle(null);
  });

  it("is not sent if the event that it reports cannot be stored", async () => {
    const { merchant, store, worker, gateway } = await setUp();
    const { record } = await createPayin(
      gateway,
      payinCall({ draft: { webhook_url: merchant.url } }),
    );
    store.hold();
    const paid = gateway.move("shop", "payin", record.id, "pay");
    gateway.due.run();
    await turns(20);
    store.fail(new StorageError(say`The disk is full.`));
    await expect(paid).rejects.toThrow(StorageError);
    store.letGo();
    await worker.idle(null);

    expect(merchant.received).toEqual([]);
  });

  it("is sent by a process that leads only", async () => {
    const lease = {
      isHeld: false,
      replaced: new Promise<void>(() => undefined),
      guard: () => Promise.reject(new Error("not used")),
    };
    const { merchant, records, worker, gateway, pay } = await setUp(200, "all", lease);
    await pay();
    await worker.idle(null);
    expect(merchant.received).toEqual([]);
    lease.isHeld = true;
    // As a database's lease that is held again does.
    gateway.due.refill();
    gateway.due.run();
    await pay();
    await worker.idle(null);
    expect(merchant.received).toHaveLength(2);
    expect(records.deliveries.all().map(({ attempts }) => attempts.length)).toEqual([1, 1]);
  });

  it("carries the recorded bytes, signed, with a user agent", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    await worker.idle(null);

    const [received] = merchant.received;
    const [delivery] = records.deliveries.all();
    expect(received?.body).toBe(delivery?.body);
    expect(received?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "pix-sandbox/test",
      "webhook-id": delivery?.id,
    });
    expect(received && verified(received, SECRET)).toMatchObject({ type: "payin.paid" });
    expect(delivery?.attempts).toMatchObject([
      { status: 200, error: null, signature: received?.headers["webhook-signature"] },
    ]);
  });

  it("is sent once, however often it is begun", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    for (const delivery of records.deliveries.all()) {
      worker.start(delivery);
      worker.start(delivery);
    }
    await worker.idle(null);

    expect(merchant.received).toHaveLength(1);
  });

  it("is not sent if its attempt was made meanwhile", async () => {
    const { merchant, records, worker, advance, pay } = await setUp(500);
    await pay();
    await worker.idle(null);
    const [asItWas] = records.deliveries.all();
    await advance(1);
    expect(merchant.received).toHaveLength(2);
    if (asItWas) worker.start(asItWas);
    await worker.idle(null);

    expect(merchant.received).toHaveLength(2);
  });

  it("is not sent if it was removed meanwhile", async () => {
    useFakeTimers();
    const { merchant, records, worker, gateway, payAt } = await setUp();
    const first = deferred();
    merchant.answerWith(async () => {
      await first.promise;
      return 200;
    });
    await payAt(merchant.url);
    await payAt(merchant.url);
    await merchant.waitFor(1);
    const [, second] = records.deliveries.all();
    records.deliveries.delete(second?.id ?? "");
    first.resolve();
    await worker.idle(null);

    expect(merchant.received).toHaveLength(1);
    expect(gateway.delivery(second?.id ?? "")).toBeUndefined();
  });

  it("is recorded with the response's retry-after and its redirect", async () => {
    const { records, worker, pay } = await setUp(() => ({
      status: 307,
      headers: { location: "/elsewhere", "retry-after": "60" },
      body: "later",
    }));
    await pay();
    await worker.idle(null);

    expect(records.deliveries.all()).toMatchObject([
      {
        status: "pending",
        nextAttemptAtMs: START_MS + 60_000,
        attempts: [
          {
            status: 307,
            response: "later",
            location: "/elsewhere",
            retryAfterMs: 60_000,
          },
        ],
      },
    ]);
    expect(records.deliveries.all()[0]?.attempts[0]).not.toHaveProperty("isResend");
  });

  it("has no signature with webhook.signature=none", async () => {
    const { merchant, gateway, records, worker, pay } = await setUp();
    await gateway.changeAssumptions(null, { "webhook.signature": "none" });
    await pay();
    await worker.idle(null);

    expect(Object.keys(merchant.received[0]?.headers ?? {})).not.toContain("webhook-signature");
    expect(records.deliveries.all()).toMatchObject([{ attempts: [{ signature: null }] }]);
  });
});

describe("a resend", () => {
  it("has the same id and the same bytes, and is recorded as one", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    await worker.idle(null);
    await worker.resend(theDelivery(records));

    const [first, second] = merchant.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second && verified(second, SECRET)).toMatchObject({ type: "payin.paid" });
    expect(records.deliveries.all()).toMatchObject([
      { status: "delivered", attempts: [{ status: 200 }, { status: 200, isResend: true }] },
    ]);
  });

  it("is recorded once it resolves, whatever the answer", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    await worker.idle(null);
    for (const answer of [500, "reset", 410, 200] as const) {
      merchant.answerWith(answer);
      const { attempts } = theDelivery(records);
      await worker.resend(theDelivery(records));
      expect(theDelivery(records).attempts).toHaveLength(attempts.length + 1);
    }
    expect(merchant.received).toHaveLength(theDelivery(records).attempts.length);

    expect(theDelivery(records).status).toBe("delivered");
  });

  it("goes out after an attempt that is under way, and not beside it", async () => {
    const first = deferred();
    const { merchant, records, worker, pay } = await setUp(async (_received, index) => {
      if (index > 0) return 200;
      await first.promise;
      return 500;
    });
    await pay();
    await merchant.waitFor(1);
    const resends = [1, 2].map(() => worker.resend(theDelivery(records)));
    await turns(20);
    expect(merchant.received).toHaveLength(1);

    first.resolve();
    await Promise.all(resends);
    expect(theDelivery(records)).toMatchObject({
      status: "delivered",
      attempts: [{ status: 500 }, { status: 200, isResend: true }, { status: 200, isResend: true }],
    });
    expect(merchant.received).toHaveLength(3);
  });

  it("that is under way when the next attempt falls due comes before it, and spares it", async () => {
    const resent = deferred();
    const { merchant, records, worker, gateway, clock, pay } = await setUp(
      async (_received, index) => {
        if (index === 0) return 500;
        await resent.promise;
        return 200;
      },
    );
    await pay();
    await worker.idle(null);
    const isOver = worker.resend(theDelivery(records));
    await merchant.waitFor(2);
    clock.moveTo(START_MS + 1000);
    gateway.due.run();
    await turns(20);
    expect(merchant.received).toHaveLength(2);

    resent.resolve();
    await isOver;
    await worker.idle(null);
    expect(theDelivery(records)).toMatchObject({ status: "delivered", nextAttemptAtMs: null });
    expect(merchant.received).toHaveLength(2);
  });

  it("of one that is pending leaves the retries as they are: one each, each at its time", async () => {
    const { merchant, records, worker, advance, pay } = await setUp(500);
    await pay();
    await worker.idle(null);
    for (let count = 0; count < 3; count++) await worker.resend(theDelivery(records));
    expect(theDelivery(records)).toMatchObject({
      status: "pending",
      nextAttemptAtMs: START_MS + 1000,
    });

    const counts: number[] = [];
    for (const seconds of [1, 5, 25, 1000]) {
      await worker.resend(theDelivery(records));
      await advance(seconds);
      counts.push(theDelivery(records).attempts.filter(({ isResend }) => !isResend).length);
    }
    expect(counts).toEqual([2, 3, 4, 4]);
    expect(theDelivery(records).status).toBe("failed");
    expect(merchant.received).toHaveLength(1 + 3 + 4 + 3);
  });

  it("of one whose first attempt has not begun leaves it its first attempt", async () => {
    const { merchant, records, worker, gateway } = await setUp(500);
    const { record } = await createPayin(
      gateway,
      payinCall({ draft: { webhook_url: merchant.url } }),
    );
    await gateway.move("shop", "payin", record.id, "pay");
    await worker.resend(theDelivery(records));
    await worker.idle(null);
    gateway.due.run();
    await worker.idle(null);

    expect(
      theDelivery(records)
        .attempts.map(({ isResend }) => isResend ?? false)
        .toSorted(),
    ).toEqual([false, true]);
  });

  it("reports that it could not be recorded, and delays nothing", async () => {
    const { merchant, store, records, worker, pay } = await setUp();
    await pay();
    await worker.idle(null);
    merchant.answerWith(() => {
      store.hold();
      return 200;
    });
    const resent = worker.resend(theDelivery(records));
    const refused = resent.catch((error: unknown) => error);
    while (theDelivery(records).attempts.length < 2) await turns(1);
    await turns(1);
    store.fail(new StorageError(say`The disk is full.`));
    expect(await refused).toBeInstanceOf(StorageError);

    merchant.answerWith(200);
    store.letGo();
    await worker.idle(null);
    await worker.resend(theDelivery(records));
    expect(merchant.received).toHaveLength(3);
  });
});

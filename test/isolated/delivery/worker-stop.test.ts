import { describe, expect, it, vi } from "vitest";
import type { Gateway } from "../../../src/core/operations/gateway.ts";
import type { DeliveryWorker } from "../../../src/delivery/worker.ts";
import { deferred, delivery as deliveryWith, START_MS, turns, watch } from "../../support/core.ts";
import { idsOf, setUp, theDelivery, useFakeTimers, useWorkers } from "./worker.ts";
import { putsOf } from "../../../src/core/state/records.ts";

vi.mock("../../../src/platform/real-time.ts", () => import("../../support/fakeable-time.ts"));
useWorkers();

describe("a worker that is stopped", () => {
  it("starts no more attempts, and leaves pending deliveries unchanged", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await worker.stop();
    await pay();
    await turns(20);

    expect(merchant.received).toEqual([]);
    expect(records.deliveries.all()).toMatchObject([{ status: "pending", attempts: [] }]);
  });

  it("lets the attempt in flight end, and records it", async () => {
    const answer = deferred();
    const { merchant, records, worker, pay } = await setUp(async () => {
      await answer.promise;
      return 200;
    });
    await pay();
    await merchant.waitFor(1);
    const stopped = worker.stop();
    answer.resolve();
    await stopped;

    expect(records.deliveries.all()).toMatchObject([{ status: "delivered" }]);
  });

  it("gives it a moment, then cuts it short and records nothing of it", async () => {
    useFakeTimers();
    const { merchant, records, worker, pay } = await setUp("hold");
    await pay();
    await merchant.waitFor(1);
    const stopped = worker.stop();
    const state = watch(stopped);
    vi.advanceTimersByTime(999);
    await turns(20);
    expect(state.isSettled).toBe(false);
    vi.advanceTimersByTime(1);
    await stopped;

    expect(records.deliveries.all()).toMatchObject([
      { status: "pending", attempts: [], nextAttemptAtMs: START_MS },
    ]);
  });

  it("records the answer to one of two sent at once though the other is cut short", async () => {
    useFakeTimers();
    const { gateway, merchant, records, worker } = await setUp((_received, index) =>
      index === 0 ? 200 : "hold",
    );
    await startTwice({ gateway, worker, url: merchant.url });
    await merchant.waitFor(2);
    await turns(20);
    const stopped = worker.stop();
    vi.advanceTimersByTime(1000);
    await stopped;

    expect(records.deliveries.all()).toMatchObject([
      { status: "delivered", attempts: [{ status: 200 }] },
    ]);
  });

  it("begins none of those that wait in line, and cuts short a resend too", async () => {
    useFakeTimers();
    const { merchant, records, worker, pay, payAt } = await setUp();
    await payAt(merchant.at("/resent"));
    await worker.idle(null);
    merchant.answerWith("hold");
    const resent = worker.resend(theDelivery(records));
    await merchant.waitFor(2);
    for (let count = 0; count < 3; count++) await pay();
    await merchant.waitFor(3);
    const stopped = worker.stop();
    vi.advanceTimersByTime(1000);
    await Promise.all([stopped, resent]);

    expect(merchant.received).toHaveLength(3);
    expect(records.deliveries.all().map(({ attempts }) => attempts.length)).toEqual([1, 0, 0, 0]);
  });

  it("resends nothing", async () => {
    const { merchant, records, worker, pay } = await setUp();
    await pay();
    await worker.idle(null);
    await worker.stop();
    await worker.resend(theDelivery(records));

    expect(merchant.received).toHaveLength(1);
  });

  it("resolves at once if nothing is in flight", async () => {
    useFakeTimers();
    const { worker } = await setUp();
    await worker.stop();

    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a worker that drops", () => {
  it("ends what is in flight and sends nothing of what waits, and records nothing of it", async () => {
    const { merchant, worker, records, pay } = await setUp("hold");
    for (let count = 0; count < 5; count++) await pay();
    await merchant.waitFor(1);
    const before = records.deliveries.all();
    worker.drop("shop");
    await worker.idle(null);
    merchant.answerWith(200);
    await pay();
    await merchant.waitFor(2);
    await worker.idle(null);

    // The one that was in flight, and the one that came after: those behind the first never left.
    expect(merchant.received).toHaveLength(2);
    expect(records.deliveries.all().slice(0, 5)).toEqual(before);
  });

  it("does not affect another integration's, even to the same address", async () => {
    const { merchant, worker, records, payAt } = await setUp("hold");
    const released = deferred<number>();
    merchant.answerWith(() => released.promise);
    await payAt(merchant.url, "shop");
    await payAt(merchant.url, "other");
    await merchant.waitFor(2);
    worker.drop("shop");
    released.resolve(200);
    await worker.idle(null);

    expect(records.deliveries.all().map(({ status }) => status)).toEqual(["pending", "delivered"]);
  });

  it("does not take one that comes in its place, with its id, for the one it dropped", async () => {
    const { gateway, merchant, worker, records, pay } = await setUp("hold");
    const rows = await gateway.rowsOf(null);
    await pay();
    await merchant.waitFor(1);
    const [old] = records.deliveries.all();
    worker.drop(null);
    await gateway.replace(null, () => putsOf(rows));
    merchant.answerWith(204);
    await pay();
    await worker.idle(null);

    const [fresh] = records.deliveries.all();
    expect(fresh?.id).toBe(old?.id);
    expect(fresh?.attempts.map(({ status }) => status)).toEqual([204]);
    expect(idsOf(merchant.received)).toEqual([old?.id, old?.id]);
  });

  it("records the first of two sent at once, and not the second that it ended", async () => {
    const { gateway, merchant, records, worker } = await setUp((_received, index) =>
      index === 0 ? 200 : "hold",
    );
    await startTwice({ gateway, worker, url: merchant.url });
    await merchant.waitFor(2);
    while (theDelivery(records).attempts.length === 0) await turns(1);
    worker.drop(null);
    await worker.idle(null);
    await turns(20);

    expect(theDelivery(records)).toMatchObject({
      status: "delivered",
      attempts: [{ status: 200 }],
    });
  });

  it("answers a resend that it dropped, without a record of it", async () => {
    const { merchant, worker, records, pay } = await setUp();
    await pay();
    await worker.idle(null);
    merchant.answerWith("hold");
    const resent = worker.resend(theDelivery(records));
    await merchant.waitFor(2);
    worker.drop(null);
    await resent;
    expect(theDelivery(records).attempts).toHaveLength(1);
  });
});

/** Begins a delivery whose first attempt is sent twice at once. */
async function startTwice({
  gateway,
  worker,
  url,
}: {
  gateway: Gateway;
  worker: DeliveryWorker;
  url: string;
}): Promise<void> {
  const twice = deliveryWith({ url, fault: "duplicate_at_once" });
  await gateway.put(putsOf({ deliveries: [twice] }));
  worker.start(twice);
}

import { describe, expect, it } from "vitest";
import { Records, putsOf } from "../../../src/core/state/records.ts";
import {
  dueMsOf,
  DueQueue,
  isCanceledWhenDue,
  Scheduler,
} from "../../../src/core/time/scheduler.ts";
import { WebhookReorder } from "../../../src/core/state/reorder.ts";
import { attempt, delivery, payin, payout, START_MS } from "../../support/core.ts";

const NEVER = Number.POSITIVE_INFINITY;
const LATER_MS = START_MS + 1000;

describe("the time at which a record is settled automatically", () => {
  it("is a payin's expiry", () => {
    expect(dueMsOf(payin({ expiresAtMs: LATER_MS }))).toBe(LATER_MS);
  });

  it("is a payout's completion, if it has one", () => {
    expect(dueMsOf(payout({ completesAtMs: LATER_MS }))).toBe(LATER_MS);
    expect(dueMsOf(payout())).toBe(NEVER);
  });

  it("is its cancellation, if that comes first", () => {
    const canceled = payin({ expiresAtMs: LATER_MS, cancelsAtMs: LATER_MS - 1 });
    expect(dueMsOf(canceled)).toBe(LATER_MS - 1);
    expect(isCanceledWhenDue(canceled)).toBe(true);
    expect(isCanceledWhenDue(payin({ expiresAtMs: LATER_MS, cancelsAtMs: LATER_MS }))).toBe(true);
    const expired = payin({ expiresAtMs: LATER_MS, cancelsAtMs: LATER_MS + 1 });
    expect(dueMsOf(expired)).toBe(LATER_MS);
    expect(isCanceledWhenDue(expired)).toBe(false);
    expect(isCanceledWhenDue(payin())).toBe(false);
    expect(dueMsOf(payout({ cancelsAtMs: LATER_MS }))).toBe(LATER_MS);
  });

  it("never comes for a record in its final status", () => {
    expect(dueMsOf(payin({ status: "paid", cancelsAtMs: LATER_MS }))).toBe(NEVER);
    expect(dueMsOf(payout({ status: "canceled", completesAtMs: LATER_MS }))).toBe(NEVER);
  });
});

describe("a scheduler", () => {
  it("gives each record when it is due, the earliest first", () => {
    const { scheduler, records } = createScheduler();
    const late = payin({ expiresAtMs: START_MS + 3 });
    const early = payout({ completesAtMs: START_MS + 1 });
    const webhook = delivery({ nextAttemptAtMs: START_MS + 2 });
    const change = putsOf({ payins: [late], payouts: [early], deliveries: [webhook] });
    records.apply(change);
    scheduler.schedule(change);

    expect(scheduler.nextDueMs).toBe(START_MS + 1);
    expect(scheduler.take(START_MS)).toBeUndefined();
    expect(scheduler.take(START_MS + 3)).toBe(early);
    expect(scheduler.take(START_MS + 3)).toBe(webhook);
    expect(scheduler.take(START_MS + 3)).toBe(late);
    expect(scheduler.nextDueMs).toBe(NEVER);
    expect(scheduler.take(NEVER)).toBeUndefined();
  });

  it("has no entry for what is never due", () => {
    const { scheduler } = createScheduler();
    scheduler.schedule(
      putsOf({
        payins: [payin({ status: "expired" })],
        payouts: [payout()],
        deliveries: [delivery({ nextAttemptAtMs: null })],
      }),
    );
    expect(scheduler.nextDueMs).toBe(NEVER);
  });

  it("skips a record that was settled, removed or moved to a later time meanwhile", () => {
    const { scheduler, records } = createScheduler();
    const settled = payin();
    const removed = payout({ completesAtMs: START_MS });
    const postponed = delivery({ nextAttemptAtMs: START_MS });
    scheduler.schedule(putsOf({ payins: [settled], payouts: [removed], deliveries: [postponed] }));
    records.apply(
      putsOf({
        payins: [{ ...settled, status: "paid" }],
        deliveries: [{ ...postponed, nextAttemptAtMs: settled.expiresAtMs + 1 }],
      }),
    );
    for (let entry = 0; entry < 3; entry++)
      expect(scheduler.take(settled.expiresAtMs)).toBeUndefined();
    expect(scheduler.nextDueMs).toBe(NEVER);
  });

  it("shows the next task, of all or of an integration, and leaves it", () => {
    const { scheduler, records } = createScheduler();
    const expiring = payin({ id: "expiring", expiresAtMs: START_MS + 4 });
    const canceling = payin({ id: "canceling", cancelsAtMs: START_MS + 3, integration: "other" });
    const completing = payout({ id: "completing", completesAtMs: START_MS + 5 });
    const canceled = payout({ id: "canceled", cancelsAtMs: START_MS + 2 });
    const webhook = delivery({ nextAttemptAtMs: START_MS + 1, integration: "other" });
    const change = putsOf({
      payins: [expiring, canceling],
      payouts: [completing, canceled],
      deliveries: [webhook],
    });
    records.apply(change);
    scheduler.schedule(change);
    expect(scheduler.next("third")).toBeUndefined();
    const seen = [];
    for (let step = 1; step <= 5; step++) {
      const next = scheduler.next(null);
      const { integration = "" } = next?.record ?? {};
      expect(scheduler.next(integration)).toEqual(next);
      expect(next?.atMs).toBe(START_MS + step);
      seen.push([next?.kind, next?.record.id]);
      expect(scheduler.take(START_MS + step)).toBe(next?.record);
    }
    expect(seen).toEqual([
      ["attempt", webhook.id],
      ["payout_cancels", "canceled"],
      ["payin_cancels", "canceling"],
      ["payin_expires", "expiring"],
      ["payout_completes", "completing"],
    ]);
    expect(scheduler.next(null)).toBeUndefined();
  });

  it("shows no task of a record that was settled, removed or moved to a later time meanwhile", () => {
    for (const integration of [null, "shop"]) {
      const { scheduler, records } = createScheduler();
      const settled = payin({ expiresAtMs: START_MS });
      const removed = payout({ completesAtMs: START_MS + 1 });
      const postponed = delivery({ nextAttemptAtMs: START_MS + 2 });
      scheduler.schedule(
        putsOf({ payins: [settled], payouts: [removed], deliveries: [postponed] }),
      );
      const later = { ...postponed, nextAttemptAtMs: START_MS + 9 };
      records.apply(putsOf({ payins: [{ ...settled, status: "paid" }], deliveries: [later] }));
      expect(scheduler.next(integration)).toBeUndefined();
      scheduler.schedule(putsOf({ deliveries: [later] }));
      expect(scheduler.next(integration)).toEqual({
        atMs: START_MS + 9,
        kind: "attempt",
        record: later,
      });
    }
  });

  it("returns a delivery again after it was returned to the queue, unless it has no next attempt", () => {
    const { scheduler, records } = createScheduler();
    const webhook = delivery();
    records.apply(putsOf({ deliveries: [webhook] }));
    scheduler.returnToQueue({ ...webhook, nextAttemptAtMs: null });
    expect(scheduler.nextDueMs).toBe(NEVER);
    scheduler.returnToQueue(webhook);
    expect(scheduler.take(START_MS)).toBe(webhook);
  });

  it("is filled anew from the records alone", () => {
    const { scheduler, records } = createScheduler();
    scheduler.schedule(putsOf({ payins: [payin({ id: "gone" })] }));
    const held = delivery({
      id: "evt_held",
      fault: "reorder",
      nextAttemptAtMs: LATER_MS,
    });
    const charge = payin({ expiresAtMs: LATER_MS + 1 });
    const transfer = payout({ completesAtMs: LATER_MS + 2 });
    records.apply(putsOf({ payins: [charge], payouts: [transfer], deliveries: [held] }));
    scheduler.scheduleAnew();
    scheduler.scheduleAnew();
    expect(scheduler.take(NEVER)).toBe(held);
    expect(scheduler.take(NEVER)).toBe(charge);
    expect(scheduler.take(NEVER)).toBe(transfer);
    expect(scheduler.nextDueMs).toBe(NEVER);
  });
});

describe("the start of a delivery", () => {
  const held = delivery({ id: "evt_held", fault: "reorder" });
  const next = delivery({ id: "evt_next" });

  it("starts the one that was reordered behind it directly after it, once", () => {
    const { scheduler, records, started } = createScheduler();
    records.apply(putsOf({ deliveries: [held, next] }));
    scheduler.schedule(putsOf({ deliveries: [held, next] }));
    scheduler.start(next);
    scheduler.start(next);
    expect(started).toEqual(["evt_next", "evt_held", "evt_next"]);
  });

  it("does not start one behind it that was attempted or removed meanwhile", () => {
    const attempted = createScheduler();
    attempted.scheduler.schedule(putsOf({ deliveries: [held, next] }));
    attempted.records.apply(putsOf({ deliveries: [{ ...held, attempts: [attempt()] }, next] }));
    attempted.scheduler.start(next);
    expect(attempted.started).toEqual(["evt_next"]);

    const removed = createScheduler();
    removed.scheduler.schedule(putsOf({ deliveries: [held, next] }));
    removed.scheduler.start(next);
    expect(removed.started).toEqual(["evt_next"]);
  });
});

function createScheduler() {
  const records = new Records();
  const started: string[] = [];
  const scheduler = new Scheduler({
    dueQueue: new DueQueue(),
    records,
    reorder: new WebhookReorder(),
    deliveries: { start: ({ id }) => void started.push(id) },
  });
  return { scheduler, records, started };
}

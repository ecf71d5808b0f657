import { toIso } from "../../../src/wire/timestamp.ts";
import { describe, expect, it } from "vitest";
import type { AttemptResult } from "../../../src/core/records/delivery.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import {
  eventsAfter,
  attemptResult,
  deferred,
  delivery,
  payin,
  payinCall,
  START_MS,
  turns,
  watch,
  createPayin,
  payinsOf,
} from "../../support/core.ts";
import {
  FAILED,
  HOUR,
  RefusingStore,
  SECOND,
  payPayin,
  realTime,
  secondsOf,
  start,
} from "./clocked-gateway.ts";
import { putsOf } from "../../../src/core/state/records.ts";

describe("time that passes by itself", () => {
  it("sets one timer for what is due first, and anew for what is due earlier still", async () => {
    const { gateway, timer } = realTime();
    expect(timer.delays).toEqual([]);
    for (const expiration of [100, 60, 80])
      await createPayin(gateway, payinCall({ draft: { expiration } }));

    expect(timer.delays).toEqual([100 * SECOND, 60 * SECOND]);
  });

  it("runs due tasks when the timer fires, and sets the next one", async () => {
    const { gateway, timer, real, records } = realTime();
    for (const expiration of [100, 60])
      await createPayin(gateway, payinCall({ draft: { expiration } }));
    real.nowMs += 60 * SECOND;
    timer.ring();

    expect(payinsOf(records).map(({ status }) => status)).toEqual(["waiting", "expired"]);
    expect(timer.delayMs).toBe(40 * SECOND);
    real.nowMs += 40 * SECOND;
    timer.ring();
    expect(payinsOf(records).map(({ status }) => status)).toEqual(["expired", "expired"]);
    expect(timer.delayMs).toBeUndefined();
  });

  it("sets the timer again where it rang too early, as one longer than a timer can be does", async () => {
    const { gateway, timer, real, records } = realTime();
    await createPayin(gateway, payinCall({ draft: { expiration: 100 } }));
    real.nowMs += 30 * SECOND;
    timer.ring();

    expect(payinsOf(records)).toMatchObject([{ status: "waiting" }]);
    expect(timer.delayMs).toBe(70 * SECOND);
  });

  it("leaves alone what was given a final status in the state file, where it still has a due time", () => {
    const store = new MemoryStore();
    const edited = { ...payin({ status: "paid" }), dueMs: START_MS };
    store.commit(putsOf({ transactions: [edited] }));
    const { timer, records, real } = realTime(store);
    real.nowMs += HOUR;
    expect(timer.delayMs).toBeUndefined();
    expect(payinsOf(records)).toMatchObject([{ status: "paid" }]);
  });

  it("sets no timer if the clock is frozen and nothing is due", async () => {
    const { gateway, timer } = start();
    await createPayin(gateway, payinCall());
    expect(timer.delays).toEqual([]);

    await payPayin(gateway);
    expect(timer.delays).toEqual([0]);
  });

  it("continues if the store refuses a change", async () => {
    const store = new RefusingStore();
    const { gateway, timer, records, real } = realTime(store);
    await createPayin(gateway, payinCall());
    real.nowMs += 240 * SECOND;
    store.isRefusing = true;
    expect(() => timer.ring()).not.toThrow();
    expect(payinsOf(records)).toMatchObject([{ status: "waiting" }]);
    expect(timer.delayMs).toBe(SECOND);

    store.isRefusing = false;
    timer.ring();
    expect(payinsOf(records)).toMatchObject([{ status: "expired" }]);
  });

  it("lets requests be answered between parts of what falls due at once", async () => {
    const { gateway, timer, real, records } = realTime();
    for (let count = 0; count < 1200; count++)
      await createPayin(gateway, payinCall({ draft: { expiration: 20 } }));
    const expired = () => payinsOf(records).filter(({ status }) => status === "expired").length;
    real.nowMs += 20 * SECOND;

    const steps = [];
    while (timer.delayMs !== undefined && steps.length < 10) {
      timer.ring();
      steps.push([expired(), timer.delayMs]);
    }
    expect(steps).toEqual([
      [500, 0],
      [1000, 0],
      [1200, undefined],
    ]);
  });
});

describe("time that is frozen", () => {
  it("stands still, once what is due by then has happened", async () => {
    const { gateway, clockDriver, sender, clock, real, records } = realTime();
    await createPayin(gateway, payinCall({ draft: { expiration: 20 } }));
    await payPayin(gateway);
    real.nowMs += 20 * SECOND;
    const happened = await clockDriver.turn("freeze");

    expect(happened.map((one) => [secondsOf(one), one.event.kind])).toEqual([
      [20, "payin"],
      [20, "attempt"],
    ]);
    expect(sender.begun).toHaveLength(1);
    real.nowMs += HOUR;
    expect([clock.mode, clock.nowMs()]).toEqual(["frozen", START_MS + 20 * SECOND]);
    expect(records.clock).toEqual({ mode: "frozen", nowMs: START_MS + 20 * SECOND });
  });

  it("waits for attempts in flight, and stands still meanwhile", async () => {
    const { gateway, clockDriver, sender, clock, real, timer } = realTime();
    const answer = deferred<AttemptResult>();
    sender.answer = () => answer.promise;
    await payPayin(gateway);
    timer.ring();
    const frozen = clockDriver.turn("freeze");
    const state = watch(frozen);
    await turns();
    real.nowMs += HOUR;
    expect([state.isSettled, clock.nowMs()]).toEqual([false, START_MS]);

    answer.resolve(FAILED);
    expect((await frozen).map(secondsOf)).toEqual([0]);
    expect(clock.nowMs()).toBe(START_MS);
    // The next attempt is due a second later, which does not come by itself.
    expect(sender.begun).toHaveLength(1);
  });

  it("can be advanced, and runs on from there without a jump", async () => {
    const { gateway, clockDriver, clock, timer, real, records } = realTime();
    await createPayin(gateway, payinCall({ draft: { expiration: 100 } }));
    await clockDriver.turn("freeze");
    real.nowMs += HOUR;
    await clockDriver.advance((nowMs) => nowMs + 30 * SECOND);
    expect(clock.nowMs()).toBe(START_MS + 30 * SECOND);

    expect(await clockDriver.turn("resume")).toEqual([]);
    expect([clock.mode, clock.nowMs()]).toEqual(["real", START_MS + 30 * SECOND]);
    expect(records.clock).toEqual({ mode: "real", offsetMs: 30 * SECOND - HOUR });
    expect(timer.delayMs).toBe(70 * SECOND);
    real.nowMs += 70 * SECOND;
    timer.ring();
    expect(payinsOf(records)).toMatchObject([{ status: "expired" }]);
  });

  it("is frozen, and goes on, at once during an advance, which reaches its target", async () => {
    const { gateway, clockDriver, sender, clock, real } = realTime();
    const answer = deferred<AttemptResult>();
    sender.answer = () => (sender.begun.length === 2 ? answer.promise : FAILED);
    await payPayin(gateway);
    const advanced = clockDriver.advance(() => START_MS + 6 * SECOND);
    await turns();
    expect(clock.nowMs()).toBe(START_MS + SECOND);

    void clockDriver.turn("freeze");
    real.nowMs += HOUR;
    expect([clock.mode, clock.nowMs()]).toEqual(["frozen", START_MS + SECOND]);
    answer.resolve(FAILED);
    expect((await advanced).map(secondsOf)).toEqual([0, 1, 6]);
    expect([clock.mode, clock.nowMs()]).toEqual(["frozen", START_MS + 6 * SECOND]);

    void clockDriver.turn("resume");
    real.nowMs += 5;
    expect([clock.mode, clock.nowMs()]).toEqual(["real", START_MS + 6 * SECOND + 5]);
  });
});

describe("settling", () => {
  it("runs only the due tasks on a frozen clock", async () => {
    const { gateway, clockDriver, sender, clock, records } = start();
    sender.answer = () => FAILED;
    await payPayin(gateway);
    await payPayin(gateway);
    await clockDriver.settle(null);

    expect(sender.begun).toHaveLength(2);
    expect(records.deliveries.all()).toMatchObject([
      { status: "pending", nextAttemptAtMs: START_MS + SECOND },
      { status: "pending", nextAttemptAtMs: START_MS + SECOND },
    ]);
    expect(clock.nowMs()).toBe(START_MS);
  });

  it("has ended, what falls due while it is waited for included", async () => {
    const { gateway, clockDriver, sender, real, records } = realTime();
    sender.answer = async () => {
      // Time goes on while an attempt is under way.
      real.nowMs += 30 * SECOND;
      return FAILED;
    };
    await payPayin(gateway);
    await clockDriver.settle(null);
    expect(records.deliveries.all()).toMatchObject([{ status: "pending" }]);

    await createPayin(gateway, payinCall({ draft: { expiration: 20 } }));
    await payPayin(gateway);
    await clockDriver.settle(null);
    expect(payinsOf(records).map(({ status }) => status)).toEqual(["paid", "expired", "paid"]);
  });

  it.each(["shop", "other"])(
    "is an integration's own, whatever the others wait for: %s",
    async (integration) => {
      const { gateway, clockDriver, sender, records } = start();
      const answer = deferred<AttemptResult>();
      sender.answer = (one) => (one.integration === integration ? attemptResult() : answer.promise);
      await payPayin(gateway, "shop");
      await payPayin(gateway, "other");
      await clockDriver.settle(integration);

      expect(records.deliveries.all().filter(({ status }) => status === "delivered")).toMatchObject(
        [{ integration }],
      );
      const all = watch(clockDriver.settle(null));
      await turns();
      expect(all.isSettled).toBe(false);
      answer.resolve(attemptResult());
      await clockDriver.settle(null);
      expect(records.deliveries.all().map(({ status }) => status)).toEqual([
        "delivered",
        "delivered",
      ]);
    },
  );

  it("has ended, all that an advance under way brings about included", async () => {
    const { gateway, clockDriver, sender } = start();
    let inFlight = 0;
    sender.answer = async () => {
      inFlight++;
      await turns(2);
      inFlight--;
      return FAILED;
    };
    for (let count = 0; count < 5; count++) await payPayin(gateway);
    const seen: number[] = [];
    const advanced = clockDriver.advance(() => START_MS + HOUR);
    const isOver = watch(advanced);
    while (!isOver.isSettled) {
      await clockDriver.settle(null);
      seen.push(inFlight);
      await turns(1);
    }
    await advanced;

    expect(new Set(seen)).toEqual(new Set([0]));
    expect(sender.begun).toHaveLength(20);
  });

  it("is what was in flight, and not what came after, once the clockDriver is stopped", async () => {
    const { gateway, clockDriver, sender, real } = realTime();
    sender.answer = async () => {
      real.nowMs += HOUR;
      return FAILED;
    };
    await payPayin(gateway);
    clockDriver.stop();
    await clockDriver.settle(null);

    expect(sender.begun).toHaveLength(1);
  });
});

describe("a clockDriver that is stopped", () => {
  it("has no timer set, and sets none for what comes", async () => {
    const { gateway, timer, clockDriver } = start();
    await payPayin(gateway);
    clockDriver.stop();
    expect(timer.delayMs).toBeUndefined();

    await payPayin(gateway);
    expect(timer.delayMs).toBeUndefined();
  });

  it("sets no timer when an advance under way comes to its end", async () => {
    const { gateway, timer, clockDriver, sender } = start(
      {},
      { setting: { mode: "real", offsetMs: 0 } },
    );
    const answer = deferred<AttemptResult>();
    sender.answer = () => answer.promise;
    await payPayin(gateway);
    await createPayin(gateway, payinCall());
    const advanced = clockDriver.advance(() => START_MS + 10);
    await turns();
    clockDriver.stop();
    answer.resolve(attemptResult());
    await advanced;

    expect(timer.delayMs).toBeUndefined();
  });
});

describe("work that is overdue at the start", () => {
  it("happens before anything else, in the order of its times", async () => {
    const store = new MemoryStore();
    store.commit(
      putsOf({
        transactions: [40, 10, 30, 20].map((seconds, index) =>
          payin({
            id: `expires after ${seconds}`,
            ordinal: index + 1,
            dueMs: START_MS + seconds * SECOND,
          }),
        ),
      }),
    );
    const { records, gateway } = start(
      {},
      { store, setting: { mode: "frozen", nowMs: START_MS + 35 * SECOND } },
    );

    const events = await eventsAfter(gateway.events);
    expect(events.map(({ event }) => event.kind === "payin" && event.record.id)).toEqual([
      "expires after 10",
      "expires after 20",
      "expires after 30",
    ]);
    expect(records.transactions.get("expires after 10")?.record.settled_at).toBe(
      toIso(START_MS + 10 * SECOND),
    );
    expect(records.transactions.get("expires after 40")?.record.status).toBe("waiting");
  });

  it("starts the due attempts, in the order of their times, and no others", () => {
    const store = new MemoryStore();
    const times: Record<string, number | null> = {
      evt_c: 3000,
      evt_a: 1000,
      evt_later: 9000,
      evt_done: null,
      evt_b: 2000,
    };
    store.commit(
      putsOf({
        deliveries: Object.entries(times).map(([id, afterMs]) =>
          delivery({
            id,
            status: afterMs === null ? "delivered" : "pending",
            nextAttemptAtMs: afterMs === null ? null : START_MS + afterMs,
          }),
        ),
      }),
    );
    const { sender } = start({}, { store, setting: { mode: "frozen", nowMs: START_MS + 5000 } });

    expect(sender.begun.map(({ id }) => id)).toEqual(["evt_a", "evt_b", "evt_c"]);
  });

  it("sends the webhook of an expiry before one that was due later", () => {
    const store = new MemoryStore();
    store.commit(
      putsOf({
        transactions: [payin({ dueMs: START_MS + 20 * SECOND })],
        deliveries: [delivery({ type: "payin.paid", nextAttemptAtMs: START_MS + 31 * SECOND })],
      }),
    );
    const { sender, timer } = start(
      { "payin.expiry_event": "webhook" },
      { store, setting: { mode: "frozen", nowMs: START_MS + HOUR } },
    );
    while (timer.delayMs !== undefined) timer.ring();

    expect(sender.begun.map(({ type }) => type)).toEqual(["payin.expired", "payin.paid"]);
  });
});

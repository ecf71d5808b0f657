import { toIso } from "../../../src/wire/timestamp.ts";
import { describe, expect, it } from "vitest";
import type { AttemptResult } from "../../../src/core/records/delivery.ts";
import { putsOf } from "../../../src/core/state/records.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import {
  attemptResult,
  deferred,
  delivery,
  HeldStore,
  payinCall,
  payoutCall,
  START_MS,
  turns,
  watch,
  createPayin,
  createPayout,
} from "../../support/core.ts";
import { FAILED, HOUR, SECOND, payPayin, realTime, secondsOf, start } from "./clocked-gateway.ts";

describe("time that is advanced", () => {
  it("goes from due time to due time, in order, and ends at the given time", async () => {
    const { gateway, clockDriver, clock } = start();
    for (const expiration of [100, 20, 60, 20])
      await createPayin(gateway, payinCall({ draft: { expiration } }));

    const happened = await clockDriver.advance(() => START_MS + 61 * SECOND);
    expect(happened.map(secondsOf)).toEqual([20, 20, 60]);
    expect(happened.map(({ event }) => event.kind)).toEqual(["payin", "payin", "payin"]);
    expect(clock.nowMs()).toBe(START_MS + 61 * SECOND);

    const later = await clockDriver.advance(() => START_MS + 100 * SECOND);
    expect(later.map(secondsOf)).toEqual([100]);
  });

  it.each([
    ["laptop", [0, 1, 6, 31]],
    ["production", [0, 5, 305, 2105, 9305, 27_305, 63_305, 113_705, 185_705, 272_105]],
    ["none", [0]],
  ] as const)("makes every attempt of the %s schedule in its place", async (retries, seconds) => {
    const { gateway, clockDriver, sender, records, clock } = start({ "webhook.retries": retries });
    sender.answer = () => FAILED;
    await payPayin(gateway);

    await clockDriver.advance(() => START_MS + 76 * HOUR);
    expect(sender.begun.map(({ atMs }) => (atMs - START_MS) / SECOND)).toEqual(seconds);
    expect(records.deliveries.all()).toMatchObject([{ status: "failed", nextAttemptAtMs: null }]);
    expect(clock.nowMs()).toBe(START_MS + 76 * HOUR);
  });

  it("waits for each attempt to end before the next step", async () => {
    const { gateway, clockDriver, sender, clock } = start();
    const answers: ReturnType<typeof deferred<AttemptResult>>[] = [];
    sender.answer = () => {
      const answer = deferred<AttemptResult>();
      answers.push(answer);
      return answer.promise;
    };
    await payPayin(gateway);
    const advanced = clockDriver.advance(() => START_MS + HOUR);
    const state = watch(advanced);

    for (const [index, seconds] of [0, 1, 6, 31].entries()) {
      await turns();
      expect(answers).toHaveLength(index + 1);
      expect(clock.nowMs()).toBe(START_MS + seconds * SECOND);
      expect(state.isSettled).toBe(false);
      answers[index]?.resolve(FAILED);
    }
    await advanced;
    expect(clock.nowMs()).toBe(START_MS + HOUR);
  });

  it("first lets attempts in flight end, at the time that they began", async () => {
    const { gateway, clockDriver, sender, timer, clock } = start();
    const answer = deferred<AttemptResult>();
    sender.answer = () => answer.promise;
    await payPayin(gateway);
    timer.ring();
    expect(sender.begun).toHaveLength(1);

    const advanced = clockDriver.advance(() => START_MS + HOUR);
    await turns();
    expect(clock.nowMs()).toBe(START_MS);

    sender.answer = () => attemptResult();
    answer.resolve(FAILED);
    await advanced;
    expect(sender.begun.map(({ atMs }) => atMs - START_MS)).toEqual([0, SECOND]);
  });

  it("sends what an expiry causes in the same step", async () => {
    const { gateway, clockDriver, sender } = start({ "payin.expiry_event": "webhook" });
    await createPayin(gateway, payinCall({ draft: { expiration: 20 } }));
    await createPayin(gateway, payinCall({ draft: { expiration: 40 } }));

    const happened = await clockDriver.advance(() => START_MS + 40 * SECOND);
    expect(happened.map((one) => [secondsOf(one), one.event.kind])).toEqual([
      [20, "payin"],
      [20, "delivery"],
      [20, "attempt"],
      [40, "payin"],
      [40, "delivery"],
      [40, "attempt"],
    ]);
    expect(sender.begun.map(({ type }) => type)).toEqual(["payin.expired", "payin.expired"]);
  });

  it("runs two simultaneous advances one after the other", async () => {
    const { gateway, clockDriver, sender, clock } = start();
    sender.answer = () => FAILED;
    await payPayin(gateway);
    const [first, second] = await Promise.all([
      clockDriver.advance(() => START_MS + 6 * SECOND),
      clockDriver.advance(() => START_MS + 31 * SECOND),
    ]);

    expect(first.map(secondsOf)).toEqual([0, 1, 6]);
    expect(second.map(secondsOf)).toEqual([31]);
    expect(clock.nowMs()).toBe(START_MS + 31 * SECOND);
  });

  it("waits for an attempt that falls due while time passes during another one", async () => {
    const store = new MemoryStore();
    store.commit(
      putsOf({
        deliveries: [1, 2].map((number) =>
          delivery({
            id: `evt_${number}`,
            nextAttemptAtMs: START_MS + number,
          }),
        ),
      }),
    );
    const { clockDriver, records, real, sender } = realTime(store);
    sender.answer = async () => {
      await turns();
      real.nowMs += 5;
      if (sender.begun.length > 1) for (let turn = 0; turn < 10; turn++) await turns();
      return attemptResult();
    };
    const happened = await clockDriver.advance(() => START_MS + SECOND);

    expect(happened).toHaveLength(2);
    expect(records.deliveries.all().map(({ status }) => status)).toEqual([
      "delivered",
      "delivered",
    ]);
  });
});

describe("a payout that completes by itself", () => {
  it("does so at its time, between what else is due, and its webhook leaves", async () => {
    const { gateway, clockDriver, sender, records } = start({
      "payout.auto": "complete_after:30",
      "payin.expiry_event": "webhook",
    });
    const { record } = await createPayout(gateway, payoutCall());
    for (const expiration of [20, 40])
      await createPayin(gateway, payinCall({ draft: { expiration } }));

    const happened = await clockDriver.advance(() => START_MS + HOUR);
    expect(records.transactions.get(record.id)).toMatchObject({
      record: { status: "completed", settled_at: toIso(START_MS + 30 * SECOND) },
    });
    const changes = happened.filter(({ event }) => event.kind.startsWith("pay"));
    expect(changes.map((one) => [one.event.kind, secondsOf(one)])).toEqual([
      ["payin", 20],
      ["payout", 30],
      ["payin", 40],
    ]);
    expect(sender.begun.map(({ type }) => type)).toEqual([
      "payin.expired",
      "payout.completed",
      "payin.expired",
    ]);
  });
});

const ENOUGH = 1000;

describe("a move of the clock while other calls start attempts", () => {
  it.each(["advance", "freeze", "resume"] as const)(
    "ends once those have ended that were under way: %s",
    async (move) => {
      const { gateway, clockDriver, sender, records } = start();
      let attempts = 0;
      sender.answer = async (one) => {
        await turns(1);
        // Before one has ended, the next is under way.
        if (attempts++ < ENOUGH) void sender.resend(one);
        return attemptResult();
      };
      await payPayin(gateway);
      await (move === "advance"
        ? clockDriver.advance((nowMs) => nowMs + 0)
        : clockDriver.turn(move));

      expect(records.deliveries.all()).toMatchObject([{ status: "delivered" }]);
      expect(attempts).toBeLessThan(ENOUGH);
      attempts = ENOUGH;
      await sender.idle(null);
    },
  );
});

describe("a call that commits while the clock is stored", () => {
  it.each(["freeze", "resume"] as const)("is durable when %s reports it", async (change) => {
    const store = new HeldStore();
    const { gateway, clockDriver } = start({}, { store });
    store.hold();
    const changing = clockDriver.turn(change);
    const changed = watch(changing);
    await turns();
    store.release();
    const creating = Promise.resolve(createPayin(gateway, payinCall()));
    await turns();
    expect(changed.isSettled).toBe(false);

    store.release();
    const { record } = await creating;
    expect(await changing).toMatchObject([{ event: { kind: "payin", record: { id: record.id } } }]);
  });
});

describe("a merchant that responds to each webhook with a call that causes the next one", () => {
  it.each(["freeze", "resume"] as const)("does not delay %s", async (change) => {
    const { gateway, clockDriver, sender } = realTime();
    sender.answer = async () => {
      await turns(1);
      if (sender.begun.length < ENOUGH) await payPayin(gateway);
      return attemptResult();
    };
    await payPayin(gateway);
    const happened = await clockDriver.turn(change);

    expect(happened.map(({ event }) => event.kind)).toContain("attempt");
    expect(sender.begun.length).toBeLessThan(ENOUGH);
    clockDriver.stop();
    sender.answer = () => attemptResult();
    await sender.idle(null);
  });
});

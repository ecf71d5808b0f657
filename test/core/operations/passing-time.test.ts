import { toIso } from "../../../src/wire/timestamp.ts";
import { describe, expect, it } from "vitest";
import type { Assumptions } from "../../../src/core/assumptions/table.ts";
import type { Attempt } from "../../../src/core/records/delivery.ts";
import { type Store, StorageError } from "../../../src/core/state/ports.ts";
import { type Change, type Lists, putsOf } from "../../../src/core/state/records.ts";
import type { ClockSetting } from "../../../src/core/time/clock.ts";
import { ClockDriver, type TimedEvent } from "../../../src/core/operations/clock-driver.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import {
  attempt,
  createGateway,
  createPayin,
  createPayout,
  deferred,
  delivery,
  eventsAfter,
  FakeAlarm,
  FakeCourier,
  HeldStore,
  payin,
  payinCall,
  payinsOf,
  START_MS,
  type TestGateway,
  turns,
  watch,
} from "../../support/core.ts";
import { say } from "../../../src/text/message.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const FAILED = attempt({ status: null, error: "ECONNREFUSED", response: null });
/** More attempts than a call may wait for. */
const ENOUGH = 1000;

describe("time that is advanced", () => {
  it("waits for each attempt to end before the next step, also for one that is in flight", async () => {
    const { clockDriver, sender, timer, clock, pay } = start();
    const answers: ReturnType<typeof deferred<Attempt>>[] = [];
    sender.answer = () => {
      answers.push(deferred<Attempt>());
      return answers.at(-1)?.promise ?? FAILED;
    };
    await pay();
    timer.ring();
    const advanced = clockDriver.advance(() => START_MS + HOUR);
    const state = watch(advanced);

    for (const [index, seconds] of [0, 1, 6, 31].entries()) {
      await turns();
      expect(answers).toHaveLength(index + 1);
      expect([clock.nowMs(), state.isSettled]).toEqual([at(seconds), false]);
      answers[index]?.resolve(FAILED);
    }
    await advanced;
    expect(clock.nowMs()).toBe(START_MS + HOUR);
  });

  it("sends in the same step what a task causes, between what else is due", async () => {
    const { gateway, clockDriver, sender, records, create } = start({
      "payout.auto": "complete_after:30",
      "payin.expiry_event": "webhook",
    });
    const { record } = await createPayout(gateway);
    await create(20, 40);

    const happened = await clockDriver.advance(() => START_MS + HOUR);
    const steps = ["20 payin", "30 payout", "40 payin"].flatMap((step) => {
      const [seconds] = step.split(" ");
      return [step, `${seconds} delivery`, `${seconds} attempt`];
    });
    expect(happened.map(shown)).toEqual(steps);
    expect(records.transactions.get(record.id)).toMatchObject({
      record: { status: "completed", settled_at: toIso(at(30)) },
    });
    const types = sender.begun.map(({ type }) => type);
    expect(types).toEqual(["payin.expired", "payout.completed", "payin.expired"]);
  });

  it("runs two simultaneous advances one after the other", async () => {
    const { clockDriver, sender, clock, pay } = start();
    sender.answer = () => FAILED;
    await pay();
    const [first, second] = await Promise.all([
      clockDriver.advance(() => at(6)),
      clockDriver.advance((nowMs) => nowMs + 25 * SECOND),
    ]);

    expect(first.map(shown)).toEqual(["0 attempt", "1 attempt", "6 attempt"]);
    expect(second.map(shown)).toEqual(["31 attempt"]);
    expect(clock.nowMs()).toBe(at(31));
  });

  it("waits for an attempt that falls due while time passes during another one", async () => {
    const store = storeOf({
      deliveries: [1, 2].map((number) =>
        delivery({ id: `evt_${number}`, nextAttemptAtMs: START_MS + number }),
      ),
    });
    const { clockDriver, records, real, sender } = realTime(store);
    sender.answer = async () => {
      await turns();
      real.nowMs += 5;
      if (sender.begun.length > 1) await turns(50);
      return attempt();
    };
    expect(await clockDriver.advance(() => at(1))).toHaveLength(2);
    expect(statusesOf(records)).toEqual(["delivered", "delivered"]);
  });
});

describe("a move of the clock", () => {
  it.each(["advance", "freeze", "resume"] as const)(
    "ends once the attempts have ended that were under way, whatever others start: %s",
    async (move) => {
      const { clockDriver, sender, records, pay } = start();
      let attempts = 0;
      sender.answer = async (one) => {
        await turns(1);
        // Before one has ended, the next is under way.
        if (attempts++ < ENOUGH) void sender.resend(one);
        return attempt();
      };
      await pay();
      await (move === "advance" ? clockDriver.advance((now) => now) : clockDriver.turn(move));

      expect(statusesOf(records)).toEqual(["delivered"]);
      expect(attempts).toBeLessThan(ENOUGH);
      attempts = ENOUGH;
      await sender.idle(null);
    },
  );

  it.each(["freeze", "resume"] as const)(
    "does not wait for a merchant that responds to each webhook with the next call: %s",
    async (move) => {
      const { clockDriver, sender, pay } = realTime();
      sender.answer = async () => {
        await turns(1);
        if (sender.begun.length < ENOUGH) await pay();
        return attempt();
      };
      await pay();
      const happened = await clockDriver.turn(move);

      expect(happened.map(({ event }) => event.kind)).toContain("attempt");
      expect(sender.begun.length).toBeLessThan(ENOUGH);
      clockDriver.stop();
      sender.answer = () => attempt();
      await sender.idle(null);
    },
  );

  it.each(["freeze", "resume"] as const)(
    "reports what a call has committed meanwhile when it is durable: %s",
    async (move) => {
      const store = new HeldStore();
      const { gateway, clockDriver } = start({}, { store });
      store.hold();
      const changing = clockDriver.turn(move);
      const changed = watch(changing);
      await turns();
      store.release();
      const creating = createPayin(gateway);
      await turns();
      expect(changed.isSettled).toBe(false);

      store.release();
      const { record } = await creating;
      expect(await changing).toMatchObject([{ event: { record: { id: record.id } } }]);
    },
  );
});

describe("time that passes by itself", () => {
  it("has one timer, for what is due first", async () => {
    const { timer, real, records, create } = realTime();
    await create(100, 60, 80);
    expect(timer.delays).toEqual([100 * SECOND, 60 * SECOND]);
    for (const [seconds, expired, delay] of [
      [30, 0, 30], // Too early, as a timer of which the time is too long to be set.
      [30, 1, 20],
      [40, 3, undefined],
    ] as const) {
      real.nowMs += seconds * SECOND;
      timer.ring();
      expect(payinsOf(records).filter(({ status }) => status === "expired")).toHaveLength(expired);
      expect(timer.delayMs).toBe(delay && delay * SECOND);
    }
  });

  it("sets no timer if the clock is frozen and nothing is due", async () => {
    const { timer, create, pay } = start();
    await create(20);
    expect(timer.delays).toEqual([]);
    await pay();
    expect(timer.delays).toEqual([0]);
  });

  it("continues if the store refuses a change", async () => {
    const store = new RefusingStore();
    const { timer, records, real, create } = realTime(store);
    await create(20);
    real.nowMs += 20 * SECOND;
    store.isRefusing = true;
    timer.ring();
    expect([payinsOf(records)[0]?.status, timer.delayMs]).toEqual(["waiting", SECOND]);
    store.isRefusing = false;
    timer.ring();
    expect(payinsOf(records)).toMatchObject([{ status: "expired" }]);
  });

  it("lets requests be answered between parts of what falls due at once, each one commit", async () => {
    const store = new HeldStore();
    const { timer, real, records, create } = realTime(store);
    await create(...Array.from({ length: 1200 }, (_, index) => 20 + (index % 3)));
    real.nowMs += 30 * SECOND;
    store.changes.length = 0;

    const steps = [];
    while (timer.delayMs !== undefined && steps.length < 10) {
      timer.ring();
      const expired = payinsOf(records).filter(({ status }) => status === "expired");
      steps.push([expired.length, store.changes.length, timer.delayMs]);
    }
    expect(steps).toEqual([
      [500, 1, 0],
      [1000, 2, 0],
      [1200, 3, undefined],
    ]);
  });
});

describe("time that is frozen", () => {
  it("stands still, once what is due by then has happened", async () => {
    const { clockDriver, sender, clock, real, records, create, pay } = realTime();
    await create(20);
    await pay();
    real.nowMs += 20 * SECOND;
    expect((await clockDriver.turn("freeze")).map(shown)).toEqual(["20 payin", "20 attempt"]);

    expect(sender.begun).toHaveLength(1);
    real.nowMs += HOUR;
    expect([clock.mode, clock.nowMs()]).toEqual(["frozen", at(20)]);
    expect(records.clock).toEqual({ mode: "frozen", nowMs: at(20) });
  });

  it("waits for attempts in flight, and stands still meanwhile", async () => {
    const { clockDriver, sender, clock, real, timer, pay } = realTime();
    const answer = deferred<Attempt>();
    sender.answer = () => answer.promise;
    await pay();
    timer.ring();
    const frozen = clockDriver.turn("freeze");
    const state = watch(frozen);
    await turns();
    real.nowMs += HOUR;
    expect([state.isSettled, clock.nowMs()]).toEqual([false, START_MS]);

    answer.resolve(FAILED);
    expect((await frozen).map(shown)).toEqual(["0 attempt"]);
    // The next attempt is due a second later, which does not come by itself.
    expect([clock.nowMs(), sender.begun.length]).toEqual([START_MS, 1]);
  });

  it("can be advanced, and runs on from there without a jump", async () => {
    const { clockDriver, clock, timer, real, records, create } = realTime();
    await create(100);
    await clockDriver.turn("freeze");
    real.nowMs += HOUR;
    await clockDriver.advance((nowMs) => nowMs + 30 * SECOND);
    expect(clock.nowMs()).toBe(at(30));

    expect(await clockDriver.turn("resume")).toEqual([]);
    expect([clock.mode, clock.nowMs()]).toEqual(["real", at(30)]);
    expect(records.clock).toEqual({ mode: "real", offsetMs: 30 * SECOND - HOUR });
    expect(timer.delayMs).toBe(70 * SECOND);
  });

  it("is frozen, and goes on, at once during an advance, which reaches its target", async () => {
    const { clockDriver, sender, clock, real, pay } = realTime();
    const answer = deferred<Attempt>();
    sender.answer = () => (sender.begun.length === 2 ? answer.promise : FAILED);
    await pay();
    const advanced = clockDriver.advance(() => at(6));
    await turns();
    expect(clock.nowMs()).toBe(at(1));

    void clockDriver.turn("freeze");
    real.nowMs += HOUR;
    expect([clock.mode, clock.nowMs()]).toEqual(["frozen", at(1)]);
    answer.resolve(FAILED);
    expect((await advanced).map(shown)).toEqual(["0 attempt", "1 attempt", "6 attempt"]);
    expect([clock.mode, clock.nowMs()]).toEqual(["frozen", at(6)]);

    void clockDriver.turn("resume");
    real.nowMs += 5;
    expect([clock.mode, clock.nowMs()]).toEqual(["real", at(6) + 5]);
  });
});

describe("settling", () => {
  it("has ended, what falls due while it is waited for included", async () => {
    const { clockDriver, sender, real, records, create, pay } = realTime();
    sender.answer = async () => {
      // Time goes on while an attempt is under way.
      real.nowMs += 30 * SECOND;
      return FAILED;
    };
    await create(20);
    await pay();
    await clockDriver.settle(null);
    expect(payinsOf(records).map(({ status }) => status)).toEqual(["expired", "paid"]);
    expect(statusesOf(records)).toEqual(["pending"]);
  });

  it("has ended, all that an advance under way brings about included", async () => {
    const { clockDriver, sender, pay } = start();
    let inFlight = 0;
    sender.answer = async () => {
      inFlight++;
      await turns(2);
      inFlight--;
      return FAILED;
    };
    for (let count = 0; count < 5; count++) await pay();
    const seen = new Set<number>();
    const advanced = clockDriver.advance(() => START_MS + HOUR);
    const isOver = watch(advanced);
    while (!isOver.isSettled) {
      await clockDriver.settle(null);
      seen.add(inFlight);
      await turns(1);
    }
    await advanced;
    expect([seen, sender.begun.length]).toEqual([new Set([0]), 20]);
  });
});

it("a clock driver that is stopped sets no timer, at the end of an advance either", async () => {
  const { timer, clockDriver, sender, pay, create } = realTime();
  const answer = deferred<Attempt>();
  sender.answer = () => answer.promise;
  await pay();
  await create(20);
  const advanced = clockDriver.advance(() => START_MS + 10);
  await turns();
  clockDriver.stop();
  answer.resolve(attempt());
  await advanced;
  expect(timer.delayMs).toBeUndefined();
  await pay();
  expect(timer.delayMs).toBeUndefined();
});

describe("work that is overdue at the start", () => {
  const startAt = (seconds: number, lists: Lists, assumptions: Partial<Assumptions> = {}) =>
    start(assumptions, {
      store: storeOf(lists),
      setting: { mode: "frozen", nowMs: at(seconds) },
    });

  const dueAt = (...times: readonly number[]) =>
    times.map((seconds, index) =>
      payin({ id: `${seconds}`, ordinal: index + 1, dueMs: at(seconds) }),
    );

  it("happens before anything else, in the order of its times", async () => {
    const { records, gateway } = startAt(35, { transactions: dueAt(40, 10, 30, 20) });
    const events = await eventsAfter(gateway.events);
    const ids = events.map(({ event }) => "record" in event && event.record.id);
    expect(ids).toEqual(["10", "20", "30"]);
    expect(records.transactions.get("10")?.record.settled_at).toBe(toIso(at(10)));
    expect(records.transactions.get("40")?.record.status).toBe("waiting");
  });

  it("does not touch what was given a final status in the state file, where it still has a due time", () => {
    const transactions = [{ ...payin({ status: "paid" }), dueMs: at(1) }];
    const { records, timer } = startAt(60, { transactions });
    expect([payinsOf(records)[0]?.status, timer.delayMs]).toEqual(["paid", undefined]);
  });

  it("starts the due attempts, in the order of their times, and no others", () => {
    const times = { evt_c: 3, evt_a: 1, evt_later: 9, evt_b: 2 };
    const pending = Object.entries(times).map(([id, seconds]) =>
      delivery({ id, nextAttemptAtMs: at(seconds) }),
    );
    const done = delivery({ id: "evt_done", status: "delivered", nextAttemptAtMs: null });
    const { sender } = startAt(5, { deliveries: [done, ...pending] });
    expect(sender.begun.map(({ id }) => id)).toEqual(["evt_a", "evt_b", "evt_c"]);
  });

  it("sends the webhooks of expiries before one that was due later", () => {
    const deliveries = [delivery({ type: "payin.paid", nextAttemptAtMs: at(31) })];
    const lists = { transactions: dueAt(20, 30, 40), deliveries };
    const { sender, timer } = startAt(60, lists, { "payin.expiry_event": "webhook" });
    while (timer.delayMs !== undefined) timer.ring();
    const types = sender.begun.map(({ type }) => type.slice("payin.".length));
    expect(types).toEqual(["expired", "expired", "paid", "expired"]);
  });
});

describe("a store that refuses changes", () => {
  it.each<
    [string, (made: Started, id: string) => Promise<unknown>, before: unknown, after: unknown]
  >([
    [
      "leaves a transaction as it was, without a webhook",
      ({ gateway }, id) => gateway.move("shop", "payin", id, "pay"),
      ["waiting", 0, 0],
      ["paid", 1, 0],
    ],
    [
      "keeps the records and the clock at a reset",
      ({ clockDriver }) =>
        clockDriver.replace(null, () => [["clock", { mode: "frozen", nowMs: at(9) }]]),
      ["waiting", 0, 0],
      [undefined, 0, 9],
    ],
    [
      "fails a move of the clock, and not the next one",
      ({ clockDriver }) => clockDriver.advance(() => at(30)),
      ["waiting", 0, expect.any(Number)],
      ["expired", 0, 30],
    ],
  ])("%s, until it accepts them", async (_title, act, before, after) => {
    const store = new RefusingStore();
    const made = start({}, { store });
    await made.create(20);
    const id = payinsOf(made.records)[0]?.id ?? "";
    const state = () => [
      payinsOf(made.records)[0]?.status,
      made.records.deliveries.size,
      (made.clock.nowMs() - START_MS) / SECOND,
    ];
    store.isRefusing = true;
    await expect(act(made, id)).rejects.toThrow(StorageError);
    expect(state()).toEqual(before);
    store.isRefusing = false;
    await act(made, id);
    expect(state()).toEqual(after);
  });
});

/** A memory store that can be told to refuse changes, as one whose disk is full does. */
class RefusingStore extends MemoryStore {
  isRefusing = false;

  override commit(change: Change): void {
    if (this.isRefusing) throw new StorageError(say`The disk is full.`);
    super.commit(change);
  }
}

function storeOf(lists: Lists): Store {
  const store = new MemoryStore();
  store.commit(putsOf(lists));
  return store;
}

interface Started extends TestGateway {
  readonly clockDriver: ClockDriver;
  readonly sender: FakeCourier;
  readonly timer: FakeAlarm;
  /** Creates payins that expire after so many seconds. */
  create(...expirations: readonly number[]): Promise<void>;
  /** Creates a payin, and pays it. */
  pay(integration?: string): Promise<void>;
}

function start(
  assumptions: Partial<Assumptions> = {},
  parts: { store?: Store; setting?: ClockSetting; realNowMs?: () => number } = {},
): Started {
  const timer = new FakeAlarm();
  const sender: FakeCourier = new FakeCourier(() => made);
  const made = createGateway({
    ...parts,
    assumptions,
    startDelivery: (one) => sender.start(one),
    dropDeliveries: (integration) => sender.drop(integration),
  });
  const { gateway } = made;
  const clockDriver = new ClockDriver(gateway, sender, timer);
  clockDriver.start();
  const create = async (...expirations: readonly number[]): Promise<void> => {
    for (const expiration of expirations)
      await createPayin(gateway, payinCall({ draft: { expiration } }));
  };
  const pay = async (integration = "shop"): Promise<void> => {
    const call = payinCall({ integration, draft: { expiration: 172_800 } });
    const { record } = await createPayin(gateway, call);
    await gateway.move(integration, "payin", record.id, "pay");
  };
  return { ...made, clockDriver, sender, timer, create, pay };
}

/** The same on a clock that goes as the test moves `real`. */
function realTime(store: Store = new MemoryStore()): Started & { real: { nowMs: number } } {
  const real = { nowMs: START_MS };
  const setting: ClockSetting = { mode: "real", offsetMs: 0 };
  return { ...start({}, { store, setting, realNowMs: () => real.nowMs }), real };
}

function at(seconds: number): number {
  return START_MS + seconds * SECOND;
}

/** The seconds at which an event was due, and its kind. */
function shown({ atMs, event }: TimedEvent): string {
  return `${(atMs - START_MS) / SECOND} ${event.kind}`;
}

function statusesOf({ deliveries }: TestGateway["records"]): string[] {
  return deliveries.all().map(({ status }) => status);
}

import { describe, expect, it } from "vitest";
import { EventLog } from "../../../src/core/state/event-log.ts";
import { Records, putsOf } from "../../../src/core/state/records.ts";
import { eventsAfter, type StreamEvent } from "../../../src/core/state/stream-event.ts";
import {
  delivery,
  payin,
  randomChange,
  randomFrom,
  type World,
  worldOf,
} from "../../support/core.ts";

const ALL = Number.POSITIVE_INFINITY;

describe("a event log", () => {
  it("returns the events after a number, oldest first, up to the limit", () => {
    const { eventLog } = worldOfPayins(10);

    expect(numbersOf(eventLog.after(0, ALL))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(numbersOf(eventLog.after(7, ALL))).toEqual([8, 9, 10]);
    expect(numbersOf(eventLog.after(7, 2))).toEqual([8, 9]);
    expect(eventLog.after(10, ALL)).toEqual([]);
    expect(eventLog.after(11, ALL)).toEqual([]);
  });

  it("calls each listener at every change, until it stops", () => {
    const { eventLog, happen } = world();
    const calls: string[] = [];
    const stopFirst = eventLog.onMore(() => calls.push("first"));
    eventLog.onMore(() => calls.push("second"));

    happen(({ take }) => ({ payins: [payin({ id: "a", eventNumber: take() })] }));
    stopFirst();
    happen(({ take }) => ({ payins: [payin({ id: "b", eventNumber: take() })] }));

    expect(calls).toEqual(["first", "second", "second"]);
  });

  it("lets a listener read at once what it was called for", () => {
    const { eventLog, happen } = world();
    const read: number[] = [];
    eventLog.onMore(() => read.push(...numbersOf(eventLog.after(read.at(-1) ?? 0, ALL))));
    for (let count = 0; count < 5; count++)
      happen(({ take }) => ({ payins: [payin({ id: String(count), eventNumber: take() })] }));

    expect(read).toEqual([1, 2, 3, 4, 5]);
  });

  it("orders the events of one change by their numbers", () => {
    const { eventLog, happen } = world();
    happen(({ take }) => {
      const [first, second, third, fourth] = [take(), take(), take(), take()];
      return {
        payins: [payin({ id: "b", eventNumber: third }), payin({ id: "a", eventNumber: first })],
        deliveries: [
          delivery({ id: "evt_b", eventNumber: fourth }),
          delivery({ id: "evt_a", eventNumber: second }),
        ],
      };
    });

    expect(numbersOf(eventLog.after(0, ALL))).toEqual([1, 2, 3, 4]);
  });

  it("contains no event of a change that was rolled back", () => {
    const { eventLog, happen, records } = world();
    eventLog.onMore(() => undefined);
    happen(({ take }) => ({ payins: [payin({ id: "kept", eventNumber: take() })] }));
    let returnToQueue = (): void => undefined;
    happen(({ take }) => {
      const change = putsOf({ payins: [payin({ id: "lost", eventNumber: take() })] });
      returnToQueue = records.apply(change);
      return change;
    });
    expect(numbersOf(eventLog.after(0, ALL))).toEqual([1, 2]);

    returnToQueue();
    eventLog.forgetHeld();
    expect(numbersOf(eventLog.after(0, ALL))).toEqual([1]);
  });

  it("notifies no listener of a change without an event", () => {
    const { eventLog, happen } = worldOfPayins(2);
    for (let count = 0; count < 3; count++)
      happen(() => ({ clock: [{ mode: "frozen", nowMs: count }] }));
    happen(({ take }) => ({ payins: [payin({ id: "new", eventNumber: take() })] }));

    expect(numbersOf(eventLog.after(1, ALL))).toEqual([2, 3]);
  });

  it("begins at the current records, and reads earlier events from them", () => {
    const { records } = worldOfPayins(3);
    const eventLog = new EventLog(records);
    expect(numbersOf(eventLog.after(0, ALL))).toEqual([1, 2, 3]);

    const eventNumber = records.takeEventNumber();
    const change = putsOf({ payins: [payin({ id: "new", eventNumber })] });
    records.apply(change);
    eventLog.add(change);
    expect(numbersOf(eventLog.after(0, ALL))).toEqual([1, 2, 3, 4]);
    expect(numbersOf(eventLog.after(3, ALL))).toEqual([4]);
  });
});

describe("an event log without listeners", () => {
  it("holds the events that one listener has not read when another is added", () => {
    const { eventLog, happen } = worldOf();
    eventLog.onMore(() => undefined);
    for (const status of ["waiting", "paid"] as const)
      happen(({ take }) => ({ payins: [payin({ status, eventNumber: take() })] }));
    eventLog.onMore(() => undefined);

    expect(numbersOf(eventLog.after(0, ALL))).toEqual([1, 2]);
  });

  it("still notifies one listener after another has left", () => {
    const { eventLog, happen } = worldOf();
    const stop = eventLog.onMore(() => undefined);
    eventLog.onMore(() => undefined);
    stop();
    for (const status of ["waiting", "paid"] as const)
      happen(({ take }) => ({ payins: [payin({ status, eventNumber: take() })] }));

    expect(numbersOf(eventLog.after(0, ALL))).toEqual([1, 2]);
  });
});

describe("events read from the records", { timeout: 60_000 }, () => {
  it.each([21, 22, 23])(
    "are those that were told, as they were told, as far as records still tell (seed %i)",
    (seed) => {
      const { told, records } = randomWorld(seed, 600);
      const rebuilding = new EventLog(records);
      const lastOfRecord = new Map(told.map((event) => [recordOf(event), event.number]));

      for (let number = 0; number <= records.lastEventNumber; number += 13) {
        const stillTold = told.filter(
          (event) =>
            event.number > number &&
            (event.kind === "delivery" ||
              event.kind === "attempt" ||
              lastOfRecord.get(recordOf(event)) === event.number),
        );
        expect(rebuilding.after(number, ALL)).toEqual(stillTold);
      }
    },
  );

  it.each([31, 32, 33])("are the first ones up to a limit (seed %i)", (seed) => {
    const random = randomFrom(seed);
    const { records } = randomWorld(seed, 300, new Records(random() < 0.5 ? 10 : ALL));
    const last = records.lastEventNumber;

    for (let look = 0; look < 60; look++) {
      const after = Math.floor(random() * (last + 2));
      const limit = Math.floor(random() ** 3 * (last + 2));
      expect(eventsAfter(records, after, limit)).toEqual(
        eventsAfter(records, after, ALL).slice(0, limit),
      );
    }
  });

  it("are those of deliveries that are still there", () => {
    const { records, told } = randomWorld(34, 600, new Records(10));
    const events = eventsAfter(records, 0, ALL);
    const ids = new Set(
      events.flatMap((event) => ("delivery" in event ? [event.delivery.id] : [])),
    );
    const begun = told.filter(({ kind }) => kind === "delivery");

    expect([...ids].toSorted()).toEqual(
      records.deliveries
        .all()
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(ids.size).toBeLessThan(begun.length);
  });

  it("show each payin and payout as it now is", () => {
    const { eventLog, records } = randomWorld(24, 300);
    for (const event of new EventLog(records).after(0, ALL)) {
      if (event.kind === "payin") expect(event.payin).toBe(records.payins.get(event.payin.id));
      if (event.kind === "payout") expect(event.payout).toBe(records.payouts.get(event.payout.id));
    }
    expect(eventLog.after(0, ALL).length).toBeGreaterThan(300);
  });
});

describe("a event log after very many events", { timeout: 60_000 }, () => {
  const COUNT = 20_000;
  const IDS = 3000;

  it("still gives a reader that keeps up all of them, one by one", () => {
    const { eventLog, happen } = world();
    const seen: number[] = [];
    for (let count = 0; count < COUNT; count++) {
      happen(({ take }) => ({ payins: [payin({ id: String(count % IDS), eventNumber: take() })] }));
      if (count % 997 === 0) seen.push(...numbersOf(eventLog.after(seen.at(-1) ?? 0, ALL)));
    }
    seen.push(...numbersOf(eventLog.after(seen.at(-1) ?? 0, ALL)));

    expect(seen).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
  });

  it("holds only the newest of them", () => {
    const { eventLog } = worldOfPayins(COUNT, IDS);

    // What is not held any more is read from the records, which show each payin's last event alone.
    expect(eventLog.after(0, ALL)).toHaveLength(IDS);
    expect(numbersOf(eventLog.after(COUNT - 5000, ALL))).toEqual(
      Array.from({ length: 5000 }, (_, index) => COUNT - 4999 + index),
    );
  });

  it("misses nothing of one change that is larger than all it holds", () => {
    const { eventLog, happen } = world();
    happen(({ take }) => ({
      payins: Array.from({ length: COUNT }, (_, index) =>
        payin({ id: String(index), eventNumber: take() }),
      ),
    }));

    expect(eventLog.after(0, ALL)).toHaveLength(COUNT);
    expect(numbersOf(eventLog.after(COUNT - 3, ALL))).toEqual([COUNT - 2, COUNT - 1, COUNT]);
  });
});

function world(): World {
  const made = worldOf();
  made.eventLog.onMore(() => undefined);
  return made;
}

/** A world in which payins changed so often in all, one after another, over and over. */
function worldOfPayins(count: number, ids = count): World {
  const made = world();
  for (let index = 0; index < count; index++)
    made.happen(({ take }) => ({
      payins: [payin({ id: String(index % ids), eventNumber: take() })],
    }));
  return made;
}

/** A world to which so many random changes happened, and somebody listened. */
function randomWorld(seed: number, steps: number, records = new Records()): World {
  const random = randomFrom(seed);
  const made = worldOf(records);
  made.eventLog.onMore(() => undefined);
  for (let step = 1; step <= steps; step++)
    made.happen(({ take }) => randomChange(made, random, take, step));
  return made;
}

function numbersOf(events: readonly StreamEvent[]): number[] {
  return events.map(({ number }) => number);
}

function recordOf(event: StreamEvent): string {
  if (event.kind === "payin") return event.payin.id;
  if (event.kind === "payout") return event.payout.id;
  return event.kind === "reset" ? `reset ${event.integration}` : event.delivery.id;
}

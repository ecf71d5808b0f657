import { describe, expect, it } from "vitest";
import { EventCursor, type Reading } from "../../../src/core/state/event-cursor.ts";
import { type Change, Records } from "../../../src/core/state/records.ts";
import { eventsAfter, type StreamEvent } from "../../../src/core/state/stream-event.ts";
import {
  createGateway,
  delivery,
  HeldStore,
  payin,
  payinCall,
  randomChange,
  randomFrom,
  type World,
  worldOf,
} from "../../support/core.ts";

const ALL = Number.POSITIVE_INFINITY;

describe("a reader that keeps up", () => {
  it("reads each event once, in order, a few at a time", () => {
    const { eventLog, reader, happenTo } = start();
    happenTo("a", "b", "c", "d", "e");

    expect(numbersOf(reader.read(2))).toEqual([1, 2]);
    expect(reader.place).toBe(2);
    happenTo("a");
    expect(numbersOf(reader.read(2))).toEqual([3, 4]);
    expect(numbersOf(reader.read(ALL))).toEqual([5, 6]);
    expect(reader.read(ALL)).toEqual({ events: [] });
    expect([reader.place, eventLog.last]).toEqual([6, 6]);
  });

  it("reads what happened to one record again and again, each time", () => {
    const { reader, happenTo } = start();
    happenTo("a", "a", "a", "a");

    expect(reader.read(ALL)).toEqual({
      events: [1, 2, 3, 4].map((number) => ({
        number,
        kind: "payin",
        payin: payin({ id: "a", eventNumber: number }),
      })),
    });
  });
});

describe("a reader that is behind", { timeout: 60_000 }, () => {
  it("continues from the records, and misses nothing if they contain every event", () => {
    const { eventLog, happenTo } = start({ isHeard: false });
    happenTo("a", "b", "c");
    eventLog.onMore(() => undefined);
    const reader = new EventCursor(eventLog, 0);

    expect(reader.read(2)).toMatchObject({ events: [{ number: 1 }, { number: 2 }] });
    expect(reader.read(2)).not.toHaveProperty("missed");
    expect(reader.place).toBe(3);
  });

  it("receives each gap once, before the events", () => {
    const { eventLog, happenTo } = start({ isHeard: false });
    happenTo("a", "b", "a", "c");
    const reader = new EventCursor(eventLog, 0);

    expect(reader.read(2)).toMatchObject({
      events: [{ number: 2 }, { number: 3 }],
      missed: { after: 0, upTo: 4 },
    });
    expect(reader.read(2)).toEqual({ events: [expect.objectContaining({ number: 4 })] });
    expect(reader.read(2)).toEqual({ events: [] });
  });

  it("receives a gap once if the last events are missing", () => {
    const { eventLog, reader, happen, happenTo } = start({ isHeard: false, keepDeliveries: 0 });
    happenTo("a");
    happen(({ take }) => ({
      deliveries: [delivery({ status: "delivered", nextAttemptAtMs: null, eventNumber: take() })],
    }));

    expect(reader.read(ALL)).toMatchObject({
      events: [{ number: 1 }],
      missed: { after: 0, upTo: 2 },
    });
    expect(reader.place).toBe(2);
    expect(reader.read(ALL)).toEqual({ events: [] });

    happenTo("b");
    expect(reader.read(ALL)).toEqual({ events: [expect.objectContaining({ number: 3 })] });
    expect(reader.place).toBe(eventLog.last);
  });

  it("has its position at the end if all are gone, and reads on from there", () => {
    const { eventLog, reader, happen, happenTo } = start({ isHeard: false, keepDeliveries: 0 });
    for (const id of ["evt_a", "evt_b", "evt_c"])
      happen(({ take }) => ({
        deliveries: [
          delivery({ id, status: "delivered", nextAttemptAtMs: null, eventNumber: take() }),
        ],
      }));
    eventLog.onMore(() => undefined);

    expect(reader.read(ALL)).toEqual({ events: [], missed: { after: 0, upTo: 3 } });
    expect(reader.place).toBe(3);
    happenTo("a");
    expect(reader.read(ALL)).toEqual({ events: [expect.objectContaining({ number: 4 })] });
  });

  it("reads earlier events as they were, and later ones afterwards", () => {
    const { eventLog, happenTo } = start({ isHeard: false });
    happenTo("a", "b", "c");
    eventLog.onMore(() => undefined);
    const reader = new EventCursor(eventLog, 0);
    expect(numbersOf(reader.read(1))).toEqual([1]);
    happenTo("c", "b");

    expect(reader.read(ALL)).toMatchObject({
      events: [
        { number: 2, payin: { id: "b", eventNumber: 2 } },
        { number: 3, payin: { id: "c", eventNumber: 3 } },
      ],
    });
    expect(numbersOf(reader.read(ALL))).toEqual([4, 5]);
  });

  it("continues in parts through more than are taken at once, while more and more comes", () => {
    const { eventLog, told, happenTo } = start();
    happenTo(...Array.from({ length: 21_000 }, (_, index) => `early ${index}`));
    const reader = new EventCursor(eventLog, 0);
    const seen: StreamEvent[] = [];
    for (let reads = 0; ; reads++) {
      if (reads < 40) happenTo(...Array.from({ length: 100 }, (_, n) => `late ${reads} ${n}`));
      const { events, missed } = reader.read(1000);
      expect(missed).toBeUndefined();
      if (events.length === 0) break;
      expect(events.length).toBeLessThanOrEqual(1000);
      seen.push(...events);
    }

    expect(seen).toHaveLength(25_000);
    expect(seen.every((event, index) => event.number === told[index]?.number)).toBe(true);
  });

  it("receives for each part its gap", () => {
    const { eventLog, happenTo } = start();
    happenTo(...Array.from({ length: 12_000 }, (_, index) => `once ${index}`));
    happenTo(...Array.from({ length: 2000 }, (_, index) => `over ${index % 1000}`));
    happenTo(...Array.from({ length: 10_000 }, (_, index) => `once more ${index}`));
    const reader = new EventCursor(eventLog, 0);
    const missed: Reading["missed"][] = [];
    let count = 0;
    for (let reading = reader.read(997); reading.events.length > 0; reading = reader.read(997)) {
      if (reading.missed) missed.push(reading.missed);
      count += reading.events.length;
    }

    // The first 10,000 are whole; of the next 10,000 in the records, 1,000 were replaced.
    expect(missed).toEqual([{ after: 10_000, upTo: 21_000 }]);
    expect(count).toBe(23_000);
  });
});

describe("a reader of a change that is rolled back", () => {
  it("reads nothing of it, and receives the gap in the numbers", async () => {
    const store = new HeldStore();
    const { gateway, records } = createGateway({ store });
    gateway.eventLog.onMore(() => undefined);
    const reader = new EventCursor(gateway.eventLog, 0);
    await gateway.createPayin(payinCall());
    expect(numbersOf(reader.read(ALL))).toEqual([1]);

    const undone: (() => void)[] = [];
    const commit = (id: string): void => {
      const eventNumber = records.takeEventNumber();
      const change: Change = [["payins", payin({ id, ordinal: 9, eventNumber })]];
      undone.unshift(records.apply(change));
      gateway.eventLog.add(change);
    };
    commit("lost");
    commit("lost too");
    for (const undo of undone) undo();
    store.onRollback?.();
    await gateway.createPayin(payinCall());

    expect(reader.read(ALL)).toMatchObject({
      events: [{ number: 4 }],
      missed: { after: 1, upTo: 4 },
    });
    expect(reader.read(ALL)).toEqual({ events: [] });
  });
});

describe("readers of anything that happens, in any order", { timeout: 60_000 }, () => {
  it.each(Array.from({ length: 8 }, (_, seed) => seed + 1))(
    "read what was told, without a repeat or a gap that they are not told of (seed %i)",
    (seed) => {
      const random = randomFrom(seed);
      const keep = [ALL, 20, 3, 0][seed % 4];
      const world = worldOf(new Records(keep));
      const { records, eventLog, happen } = world;
      const listening: (() => void)[] = [];
      const readers = [checkedReader(world, 0)];
      const doings = [
        () => listening.push(eventLog.onMore(() => undefined)),
        () => listening.splice(Math.floor(random() * listening.length), 1)[0]?.(),
        () => records.takeEventNumber(),
        () => putSomeBack(world, random, step),
        () => readers.push(checkedReader(world, Math.floor(random() * (eventLog.last + 1)))),
      ];
      let step = 0;
      for (step = 1; step <= 500; step++) {
        if (random() < 0.6) happen(({ take }) => randomChange(world, random, take, step));
        if (random() < 0.1) doings[Math.floor(random() * doings.length)]?.();
        for (const reader of readers)
          if (random() < 0.15) reader.read(1 + Math.floor(random() ** 3 * 40));
      }
      for (const reader of readers) reader.readAll();

      expect(world.told.length).toBeGreaterThan(250);
    },
  );
});

interface CheckedReader {
  /** @returns whether there was anything. */
  read(limit: number): boolean;
  /** Reads to the end, where the reader knows how every record stands. */
  readAll(): void;
}

/** Reads, and looks at each reading whether it may be so. */
function checkedReader({ eventLog, records, told }: World, seenUpTo: number): CheckedReader {
  const reader = new EventCursor(eventLog, seenUpTo);
  const seen = new Set<number>();
  /** The reader knows of all that is left out up to here. */
  let missedUpTo = seenUpTo;

  const expectTrulyMissed = ({ after, upTo }: { after: number; upTo: number }, place: number) => {
    expect(after).toBe(place);
    expect(after).toBeGreaterThanOrEqual(missedUpTo);
    const left = eventsAfter(records, after, ALL).filter(({ number }) => number <= upTo);
    expect(left.length).toBeLessThan(upTo - after);
  };
  const expectNext = (event: StreamEvent, before: number): void => {
    expect(event.number).toBeGreaterThan(before);
    const passedOver = told.filter(
      ({ number }) => number > Math.max(before, missedUpTo) && number < event.number,
    );
    expect(passedOver).toEqual([]);
    expect(event).toEqual(told.find(({ number }) => number === event.number));
  };
  const read = (limit: number): boolean => {
    let { place } = reader;
    const { events, missed } = reader.read(limit);
    expect(events.length).toBeLessThanOrEqual(limit);
    if (missed) {
      expectTrulyMissed(missed, place);
      missedUpTo = missed.upTo;
    }
    for (const event of events) {
      expectNext(event, place);
      place = event.number;
      seen.add(event.number);
    }
    expect(reader.place).toBeGreaterThanOrEqual(place);
    return events.length > 0 || missed !== undefined;
  };
  const readAll = (): void => {
    while (read(7));
    expect(eventLog.after(reader.place, ALL)).toEqual([]);
    const unseen = eventsAfter(records, seenUpTo, ALL).filter(({ number }) => !seen.has(number));
    expect(unseen).toEqual([]);
  };
  return { read, readAll };
}

/** What happened last turns out not to be kept, before anybody has read of it. */
function putSomeBack({ records, eventLog, told }: World, random: () => number, step: number): void {
  const undone: (() => void)[] = [];
  const count = 1 + Math.floor(random() * 4);
  for (let each = 0; each < count; each++) {
    const take = (): number => records.takeEventNumber();
    const change = randomChange(
      { records, eventLog, told, happen: () => undefined },
      random,
      take,
      step,
    );
    undone.unshift(records.apply(change));
    eventLog.add(change);
  }
  for (const undo of undone) undo();
  eventLog.forgetHeld();
}

interface Start extends World {
  /** Reads from the beginning. */
  readonly reader: EventCursor;
  /** Payins come, or change. */
  happenTo(...ids: string[]): void;
}

function start({ isHeard = true, keepDeliveries = ALL } = {}): Start {
  const made = worldOf(new Records(keepDeliveries));
  if (isHeard) made.eventLog.onMore(() => undefined);
  return {
    ...made,
    reader: new EventCursor(made.eventLog, 0),
    happenTo: (...ids) => {
      for (const id of ids)
        made.happen(({ take }) => ({ payins: [payin({ id, eventNumber: take() })] }));
    },
  };
}

function numbersOf({ events }: Reading): number[] {
  return events.map(({ number }) => number);
}

import { describe, expect, it } from "vitest";
import {
  ConcurrencyLimiter,
  type Limits,
  type Place,
} from "../../src/delivery/concurrency-limiter.ts";
import { randomFrom, turns } from "../support/core.ts";

describe("a gate", () => {
  it("lets so many in with one key, and the next when one has left", async () => {
    const { entered, comeAll, leave } = gateOf({ inAll: 10, each: 2 });
    await comeAll(["a", "a", "a", "a"]);
    expect(entered).toEqual([0, 1]);

    await leave(0);
    expect(entered).toEqual([0, 1, 2]);
  });

  it("lets so many in with any key", async () => {
    const { entered, comeAll, leave } = gateOf({ inAll: 3, each: 2 });
    await comeAll(["a", "b", "c", "d", "e"]);
    expect(entered).toEqual([0, 1, 2]);

    await leave(1);
    expect(entered).toEqual([0, 1, 2, 3]);
  });

  it("delays no other key when all places of a key are in use", async () => {
    const { entered, comeAll } = gateOf({ inAll: 4, each: 1 });
    await comeAll(["a", "a", "a", "b", "a", "c"]);

    expect(entered).toEqual([0, 3, 5]);
  });

  it("lets the keys take turns, and those with one key enter in the order in which they came", async () => {
    const { entered, comeAll, leave } = gateOf({ inAll: 1, each: 1 });
    await comeAll(["a", "a", "a", "b", "c", "b", "a", "c"]);
    for (let index = 0; index < 8; index++) await leave(entered[index] ?? -1);

    expect(entered).toEqual([0, 3, 4, 1, 5, 7, 2, 6]);
  });

  it("admits a new key before all but one of another key's long queue", async () => {
    const { entered, comeAll, leave } = gateOf({ inAll: 1, each: 2 });
    await comeAll([...Array.from({ length: 2000 }, () => "long"), "short"]);
    await leave(0);
    await leave(1);

    expect(entered).toEqual([0, 1, 2000]);
  });

  it("gives a key that always has others waiting one turn at a time", async () => {
    const { entered, comeAll, leave } = gateOf({ inAll: 1, each: 5 });
    await comeAll(["busy", "busy", "busy"]);
    // Each of these comes while the key has its turn ahead of it already.
    for (let turn = 0; turn < 3; turn++) {
      await leave(turn);
      await comeAll(["busy", "busy"]);
    }
    await comeAll(["later"]);
    await leave(3);
    await leave(4);

    expect(entered).toEqual([0, 1, 2, 3, 4, 9]);
  });

  it("forgets holders that have left: the key is as free as at first", async () => {
    const { entered, comeAll, leave } = gateOf({ inAll: 2, each: 2 });
    for (let round = 0; round < 3; round++) {
      await comeAll(["a", "a", "a"]);
      for (let index = 3 * round; index < 3 * round + 3; index++) await leave(index);
    }

    expect(entered).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe("a place that makes way", () => {
  it("lets another with its key in, once, and none while the gate is full", async () => {
    const { entered, comeAll, makeWay, leave } = gateOf({ inAll: 3, each: { first: 1, most: 9 } });
    await comeAll(["a", "a", "a", "a", "a"]);
    for (let time = 0; time < 3; time++) await makeWay(0);
    expect(entered).toEqual([0, 1]);

    await makeWay(1);
    await makeWay(2);
    expect(entered).toEqual([0, 1, 2]);
    await leave(0);
    expect(entered).toEqual([0, 1, 2, 3]);
  });

  it("lets none in beyond the most that one key may have", async () => {
    const { entered, comeAll, makeWay } = gateOf({ inAll: 10, each: 2 });
    await comeAll(["a", "a", "a", "b"]);
    await makeWay(0);
    await makeWay(1);

    expect(entered).toEqual([0, 1, 3]);
  });

  it("is slow no more for its key once it has left", async () => {
    const { entered, comeAll, makeWay, leave } = gateOf({ inAll: 9, each: { first: 1, most: 9 } });
    await comeAll(["a", "a", "a"]);
    await makeWay(0);
    await leave(0);
    expect(entered).toEqual([0, 1]);
    await leave(1);
    expect(entered).toEqual([0, 1, 2]);
  });
});

describe("a key", () => {
  it("begins with few places and earns more by answering, up to the most", async () => {
    const gate = new ConcurrencyLimiter({ inAll: 100, each: { first: 2, most: 4 } });
    const places: Place[] = [];
    for (let comer = 0; comer < 20; comer++) gate.enter("a", (place) => places.push(place));
    const insideAfter: number[] = [];
    let left = 0;
    const leave = async (isAnswered: boolean): Promise<void> => {
      places[left++]?.leave({ isAnswered });
      await turns();
      insideAfter.push(places.length - left);
    };
    await turns();
    expect(places).toHaveLength(2);
    for (let answer = 0; answer < 4; answer++) await leave(true);
    expect(insideAfter).toEqual([3, 4, 4, 4]);

    // One that is not answered, and it has few again: the next get in once enough have left.
    for (const isAnswered of [false, false, false]) await leave(isAnswered);
    expect(insideAfter.slice(4)).toEqual([3, 2, 2]);
  });

  it("is not changed by a holder that made no attempt", async () => {
    const gate = new ConcurrencyLimiter({ inAll: 100, each: { first: 1, most: 9 } });
    const places: Place[] = [];
    for (let comer = 0; comer < 5; comer++) gate.enter("a", (place) => places.push(place));
    await turns();
    places[0]?.leave();
    await turns();
    expect(places).toHaveLength(2);
  });
});

describe("a key whose places are held by slow ones", () => {
  it("has others beside them, up to the most", async () => {
    const gate = new ConcurrencyLimiter({ inAll: 100, each: { first: 1, most: 3 } });
    const places: Place[] = [];
    for (let comer = 0; comer < 9; comer++) gate.enter("a", (place) => places.push(place));
    for (let slow = 0; slow < 5; slow++) {
      await turns();
      expect(places).toHaveLength(Math.min(slow + 1, 3));
      places[slow]?.makeWay();
    }
    places[0]?.leave({ isAnswered: false });
    await turns();
    expect(places).toHaveLength(4);
  });
});

describe("a gate with 3,000 random comers", { timeout: 60_000 }, () => {
  it.each([
    [41, { inAll: 7, each: { first: 3, most: 3 } }],
    [42, { inAll: 1, each: { first: 1, most: 1 } }],
    [43, { inAll: 5, each: { first: 1, most: 2 } }],
    [44, { inAll: 6, each: { first: 1, most: 4 } }],
  ])("never holds too many, and lets everybody in, in line (seed %i)", async (seed, limits) => {
    const random = randomFrom(seed);
    const gate = new ConcurrencyLimiter(limits);
    const inside = new Map<number, { key: string; isSlow: boolean }>();
    const waiting = new Map<string, number[]>();
    const most = { quickWithOneKey: 0, withOneKey: 0, inAll: 0 };
    const wrong: string[] = [];
    const look = (): void => {
      const all = [...inside.values()];
      most.inAll = Math.max(most.inAll, all.length);
      for (const { key } of all) {
        const alike = all.filter((one) => one.key === key);
        const quick = alike.filter(({ isSlow }) => !isSlow);
        most.withOneKey = Math.max(most.withOneKey, alike.length);
        most.quickWithOneKey = Math.max(most.quickWithOneKey, quick.length);
      }
    };
    const visit = async (comer: number): Promise<void> => {
      const key = String(Math.floor(random() ** 2 * 6));
      const line = waiting.get(key) ?? [];
      waiting.set(key, line);
      line.push(comer);
      const place = await new Promise<Place>((resolve) => gate.enter(key, resolve));
      if (line.shift() !== comer) wrong.push(`${comer} overtook others with the key ${key}`);
      inside.set(comer, { key, isSlow: false });
      look();
      await turns(1 + Math.floor(random() * 2));
      if (random() < 0.4) {
        inside.set(comer, { key, isSlow: true });
        place.makeWay();
        look();
        await turns(1 + Math.floor(random() * 8));
      }
      inside.delete(comer);
      place.leave();
    };
    const visits: Promise<void>[] = [];
    for (let comer = 0; comer < 3000; comer++) {
      visits.push(visit(comer));
      if (random() < 0.2) await turns(1);
    }
    await Promise.all(visits);

    expect(wrong).toEqual([]);
    expect([...waiting.values()].flat()).toEqual([]);
    expect(most).toEqual({
      quickWithOneKey: limits.each.first,
      withOneKey: limits.each.most,
      inAll: limits.inAll,
    });
    expect(gate.isEmpty).toBe(true);
  });
});

interface TestGate {
  /** Whose turn came, counted from 0 as they came. */
  readonly entered: readonly number[];
  /** Each asks to enter, with its key. */
  comeAll(keys: readonly string[]): Promise<void>;
  makeWay(comer: number): Promise<void>;
  leave(comer: number): Promise<void>;
}

function gateOf({ inAll, each }: { inAll: number; each: number | Limits["each"] }): TestGate {
  const limits = typeof each === "number" ? { first: each, most: each } : each;
  const gate = new ConcurrencyLimiter({ inAll, each: limits });
  const entered: number[] = [];
  const places = new Map<number, Place>();
  let came = 0;
  const placeOf = (comer: number): Place => {
    const place = places.get(comer);
    if (!place) throw new Error(`${comer} is not inside.`);
    return place;
  };
  return {
    entered,
    comeAll: async (keys) => {
      for (const key of keys) {
        const comer = came++;
        gate.enter(key, (place) => {
          entered.push(comer);
          places.set(comer, place);
        });
      }
      await turns(1);
    },
    makeWay: async (comer) => {
      placeOf(comer).makeWay();
      await turns(1);
    },
    leave: async (comer) => {
      placeOf(comer).leave();
      places.delete(comer);
      await turns(1);
    },
  };
}

import { describe, expect, it } from "vitest";
import { DueQueue } from "../../../src/core/time/scheduler.ts";
import { randomFrom } from "../../support/core.ts";

describe("a due queue", () => {
  it("holds one id as often as it was added", () => {
    const dueQueue = agendaOf([2, "a"], [1, "a"]);

    expect(takeAll(dueQueue, 2)).toEqual(["a", "a"]);
  });

  it("shows the first entry, of all or of those that are wanted, and leaves it in the queue", () => {
    const dueQueue = agendaOf([5, "e"], [3, "c"], [9, "a"], [3, "d"], [7, "b"]);

    expect(dueQueue.peek()).toEqual({ dueMs: 3, id: "c" });
    expect(dueQueue.first(({ id }) => id !== "c")).toEqual({ dueMs: 3, id: "d" });
    expect(dueQueue.first(({ id }) => "ab".includes(id))).toEqual({ dueMs: 7, id: "b" });
    expect(dueQueue.first(({ dueMs }) => dueMs > 9)).toBeUndefined();
    expect(takeAll(dueQueue, 9)).toEqual(["c", "d", "e", "b", "a"]);
    expect(dueQueue.peek()).toBeUndefined();
    expect(dueQueue.first(() => true)).toBeUndefined();
  });

  it("takes times before 1970 and fractions of a millisecond", () => {
    const dueQueue = agendaOf([0.5, "c"], [-10, "a"], [0.25, "b"]);

    expect(takeAll(dueQueue, 1)).toEqual(["a", "b", "c"]);
  });

  it("is empty again once cleared, and goes on working", () => {
    const dueQueue = agendaOf(...Array.from({ length: 8 }, (_, at) => [at, `${at}`] as const));
    dueQueue.clear();

    expect(dueQueue.size).toBe(0);
    expect(dueQueue.nextDueMs).toBe(Number.POSITIVE_INFINITY);

    for (const id of ["c", "d", "e", "f"]) dueQueue.add(3, id);
    expect(takeAll(dueQueue, 3)).toEqual(["c", "d", "e", "f"]);
  });

  it("reports an entry that is due before all others, and only that", () => {
    const dueQueue = new DueQueue();
    const said: number[] = [];
    dueQueue.onEarlier = () => said.push(dueQueue.nextDueMs);

    for (const dueMs of [50, 60, 50, 40, 45, 39]) dueQueue.add(dueMs, String(dueMs));

    expect(said).toEqual([50, 40, 39]);
  });

  it("orders 100,000 random entries as a sort does", () => {
    const random = randomFrom(1);
    const entries = Array.from({ length: 100_000 }, (_, order) => ({
      dueMs: Math.floor(random() * 20_000),
      order,
    }));
    const dueQueue = new DueQueue();
    for (const { dueMs, order } of entries) dueQueue.add(dueMs, String(order));

    expect(dueQueue.size).toBe(entries.length);
    const sorted = entries.toSorted((a, b) => a.dueMs - b.dueMs || a.order - b.order);
    expect(takeAll(dueQueue, 20_000)).toEqual(sorted.map(({ order }) => String(order)));
    expect(dueQueue.size).toBe(0);
  });

  it.each([2, 3, 4, 5])(
    "agrees with a sorted list through additions and takings (seed %i)",
    (seed) => {
      const random = randomFrom(seed);
      const dueQueue = new DueQueue();
      const list: { dueMs: number; order: number }[] = [];
      for (let order = 0; order < 3000; order++) {
        const dueMs = Math.floor(random() * 300);
        dueQueue.add(dueMs, String(order));
        list.push({ dueMs, order });
        list.sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
        const nowMs = Math.floor(random() * 300);
        for (let takes = Math.floor(random() * 3); takes > 0; takes--) {
          const isDue = list[0] !== undefined && list[0].dueMs <= nowMs;
          expect(dueQueue.takeDue(nowMs)).toBe(isDue ? String(list.shift()?.order) : undefined);
        }
        expect(dueQueue.nextDueMs).toBe(list[0]?.dueMs ?? Number.POSITIVE_INFINITY);
        expect(dueQueue.size).toBe(list.length);
      }
    },
  );
});

function agendaOf(...entries: (readonly [number, string])[]): DueQueue {
  const dueQueue = new DueQueue();
  for (const [dueMs, id] of entries) dueQueue.add(dueMs, id);
  return dueQueue;
}

function takeAll(dueQueue: DueQueue, nowMs: number): string[] {
  const ids: string[] = [];
  for (let id = dueQueue.takeDue(nowMs); id !== undefined; id = dueQueue.takeDue(nowMs))
    ids.push(id);
  return ids;
}

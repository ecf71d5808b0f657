import { describe, expect, it } from "vitest";
import { DueQueue } from "../../../src/core/time/scheduler.ts";
import { randomFrom } from "../../support/core.ts";

describe("a due queue", () => {
  it("shows the first entry, of all or of those that are wanted, and leaves it in the queue", () => {
    const dueQueue = new DueQueue();
    for (const id of ["5e", "3c", "9a", "3d", "7b"]) dueQueue.add(Number(id[0]), id);

    expect(dueQueue.peek()).toMatchObject({ dueMs: 3, id: "3c" });
    expect(dueQueue.first(({ id }) => id !== "3c")).toMatchObject({ id: "3d" });
    expect(dueQueue.first(({ dueMs }) => dueMs > 5)).toMatchObject({ id: "7b" });
    expect(dueQueue.first(({ dueMs }) => dueMs > 9)).toBeUndefined();
    expect(dueQueue.size).toBe(5);
    dueQueue.clear();
    expect([dueQueue.size, dueQueue.nextDueMs]).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  it("reports an entry that is due before all others, and only that", () => {
    const dueQueue = new DueQueue();
    const said: number[] = [];
    dueQueue.onEarlier = () => said.push(dueQueue.nextDueMs);
    for (const dueMs of [50, 60, 50, 40, 45, 39]) dueQueue.add(dueMs, String(dueMs));
    expect(said).toEqual([50, 40, 39]);
  });

  it.each([2, 3, 4, 5])("agrees with a sorted list, by time and then by age (seed %i)", (seed) => {
    const random = randomFrom(seed);
    const dueQueue = new DueQueue();
    const list: { dueMs: number; order: number }[] = [];
    for (let order = 0; order < 3000; order++) {
      const dueMs = Math.floor(random() * 300) - 10.5;
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
  });
});

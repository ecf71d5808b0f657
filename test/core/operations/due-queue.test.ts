import { describe, expect, it } from "vitest";
import { DueQueue } from "../../../src/core/operations/due-tasks.ts";
import { randomFrom } from "../../support/core.ts";

describe("a due queue", () => {
  it("finds the first entry that is wanted, and leaves it in the queue", () => {
    const dueQueue = new DueQueue();
    for (const id of ["5e", "3c", "9a", "3d", "7b"]) dueQueue.add(Number(id[0]), id);

    expect(dueQueue.find(({ id }) => id !== "3c")).toMatchObject({ id: "3d" });
    expect(dueQueue.find(({ dueMs }) => dueMs > 5)).toMatchObject({ id: "7b" });
    expect(dueQueue.find(({ dueMs }) => dueMs > 9)).toBeUndefined();
    expect(dueQueue.first).toMatchObject({ dueMs: 3, id: "3c" });
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
      for (let takes = Math.floor(random() * 3); takes > 0; takes--)
        expect(dueQueue.take()).toEqual(withId(list.shift()));
      expect(dueQueue.first).toEqual(withId(list[0]));
    }
  });
});

function withId(entry: { dueMs: number; order: number } | undefined) {
  return entry && { ...entry, id: String(entry.order) };
}

import { describe, expect, it } from "vitest";
import { Agenda } from "../../../src/core/time/due-queue.ts";
import { randomFrom } from "../../support/core.ts";

describe("an agenda", () => {
  it("is empty at first", () => {
    const agenda = new Agenda();

    expect(agenda.size).toBe(0);
    expect(agenda.nextDueMs).toBe(Number.POSITIVE_INFINITY);
    expect(agenda.takeDue(Number.MAX_SAFE_INTEGER)).toBeUndefined();
  });

  it("hands out the earliest first, whatever the order of adding", () => {
    const agenda = agendaOf([30, "c"], [10, "a"], [40, "d"], [20, "b"]);

    expect(takeAll(agenda, 40)).toEqual(["a", "b", "c", "d"]);
  });

  it("hands out what is due at the same time in the order of adding", () => {
    const names = Array.from({ length: 50 }, (_, index) => `entry ${index}`);
    const agenda = agendaOf(...names.map((name): [number, string] => [7, name]));

    expect(takeAll(agenda, 7)).toEqual(names);
  });

  it("hands out nothing before its time, and all of it at its time", () => {
    const agenda = agendaOf([1000, "a"], [1001, "b"]);

    expect(agenda.takeDue(999)).toBeUndefined();
    expect(agenda.nextDueMs).toBe(1000);
    expect(agenda.takeDue(1000)).toBe("a");
    expect(agenda.takeDue(1000)).toBeUndefined();
    expect(agenda.takeDue(1001)).toBe("b");
  });

  it("holds one id as often as it was added", () => {
    const agenda = agendaOf([2, "a"], [1, "a"]);

    expect(takeAll(agenda, 2)).toEqual(["a", "a"]);
  });

  it("takes times before 1970 and fractions of a millisecond", () => {
    const agenda = agendaOf([0.5, "c"], [-10, "a"], [0.25, "b"]);

    expect(takeAll(agenda, 1)).toEqual(["a", "b", "c"]);
  });

  it("is empty again once cleared, and goes on working", () => {
    const agenda = agendaOf(...Array.from({ length: 8 }, (_, at) => [at, `${at}`] as const));
    agenda.clear();

    expect(agenda.size).toBe(0);
    expect(agenda.nextDueMs).toBe(Number.POSITIVE_INFINITY);

    for (const id of ["c", "d", "e", "f"]) agenda.add(3, id);
    expect(takeAll(agenda, 3)).toEqual(["c", "d", "e", "f"]);
  });

  it("says when something is added that is due before all the rest, and only then", () => {
    const agenda = new Agenda();
    const said: number[] = [];
    agenda.onEarlier = () => said.push(agenda.nextDueMs);

    for (const dueMs of [50, 60, 50, 40, 45, 39]) agenda.add(dueMs, String(dueMs));

    expect(said).toEqual([50, 40, 39]);
  });

  it("orders 100,000 random entries as a sort does", () => {
    const random = randomFrom(1);
    const entries = Array.from({ length: 100_000 }, (_, order) => ({
      dueMs: Math.floor(random() * 20_000),
      order,
    }));
    const agenda = new Agenda();
    for (const { dueMs, order } of entries) agenda.add(dueMs, String(order));

    expect(agenda.size).toBe(entries.length);
    const sorted = entries.toSorted((a, b) => a.dueMs - b.dueMs || a.order - b.order);
    expect(takeAll(agenda, 20_000)).toEqual(sorted.map(({ order }) => String(order)));
    expect(agenda.size).toBe(0);
  });

  it.each([2, 3, 4, 5])(
    "agrees with a sorted list through additions and takings (seed %i)",
    (seed) => {
      const random = randomFrom(seed);
      const agenda = new Agenda();
      const list: { dueMs: number; order: number }[] = [];
      for (let order = 0; order < 3000; order++) {
        const dueMs = Math.floor(random() * 300);
        agenda.add(dueMs, String(order));
        list.push({ dueMs, order });
        list.sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
        const nowMs = Math.floor(random() * 300);
        for (let takes = Math.floor(random() * 3); takes > 0; takes--) {
          const isDue = list[0] !== undefined && list[0].dueMs <= nowMs;
          expect(agenda.takeDue(nowMs)).toBe(isDue ? String(list.shift()?.order) : undefined);
        }
        expect(agenda.nextDueMs).toBe(list[0]?.dueMs ?? Number.POSITIVE_INFINITY);
        expect(agenda.size).toBe(list.length);
      }
    },
  );
});

function agendaOf(...entries: (readonly [number, string])[]): Agenda {
  const agenda = new Agenda();
  for (const [dueMs, id] of entries) agenda.add(dueMs, id);
  return agenda;
}

function takeAll(agenda: Agenda, nowMs: number): string[] {
  const ids: string[] = [];
  for (let id = agenda.takeDue(nowMs); id !== undefined; id = agenda.takeDue(nowMs)) ids.push(id);
  return ids;
}

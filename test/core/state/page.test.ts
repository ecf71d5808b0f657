import { describe, expect, it } from "vitest";
import { type PageRequest, type Places, readPage } from "../../../src/core/state/page.ts";
import { randomFrom } from "../../support/core.ts";

const isAny = (): boolean => true;

describe("a page", () => {
  const rows = ["a", "b", "c", "d", "e"];

  it.each<[PageRequest, readonly string[], string | null]>([
    [{ limit: 2 }, ["a", "b"], "b"],
    [{ limit: 2, order: "asc", after: "b" }, ["c", "d"], "d"],
    [{ limit: 2, order: "desc" }, ["e", "d"], "d"],
    [{ limit: 2, order: "desc", after: "d" }, ["c", "b"], "b"],
    [{ limit: 2, order: "desc", after: "b" }, ["a"], null],
    [{ limit: 5, order: "desc" }, ["e", "d", "c", "b", "a"], null],
    [{ limit: 2, before: "e" }, ["c", "d"], "c"],
    [{ limit: 2, before: "c" }, ["a", "b"], null],
    [{ limit: 2, before: "a" }, [], null],
    [{ limit: 2, order: "desc", before: "b" }, ["d", "c"], "d"],
    [{ limit: 2, order: "desc", before: "c" }, ["e", "d"], null],
    [{ limit: 2, order: "desc", before: "e" }, [], null],
    [{ limit: 2, order: "desc", after: "a" }, [], null],
    [{ limit: 2, prefix: "c" }, ["c"], null],
    [{ limit: 2, prefix: "cc" }, [], null],
    [{ limit: 2, prefix: "c", after: "c" }, [], null],
  ])("of %j", (request, expected, next) => {
    expect(readPage(listOf(rows), request, isAny)).toEqual({ rows: expected, next });
  });

  it("does not exist without the row from which it is requested", () => {
    for (const order of ["asc", "desc"] as const) {
      expect(readPage(listOf(rows), { limit: 1, order, after: "z" }, isAny)).toBeUndefined();
      expect(readPage(listOf(rows), { limit: 1, order, before: "z" }, isAny)).toBeUndefined();
    }
  });

  it.each([11, 12, 13])("is the part of the filtered and ordered rows (seed %i)", (seed) => {
    const random = randomFrom(seed);
    for (let round = 0; round < 300; round++) {
      const places = Array.from({ length: Math.floor(random() * 12) }, (_, index) =>
        random() < 0.2 ? undefined : `${index}${random() < 0.5 ? "red" : "blue"}`,
      );
      const existing = places.filter((row) => row !== undefined);
      const isWanted = (row: string): boolean => row.endsWith("red");
      const order = random() < 0.5 ? "asc" : "desc";
      const ordered = order === "asc" ? existing : existing.toReversed();
      const start = existing[Math.floor(random() * existing.length)];
      const limit = 1 + Math.floor(random() * 5);
      const place = start === undefined ? -1 : ordered.indexOf(start);

      const after = ordered.slice(place + 1).filter(isWanted);
      expect(readPage(listOf(places), { limit, order, after: start }, isWanted)).toEqual({
        rows: after.slice(0, limit),
        next: after.length > limit ? after[limit - 1] : null,
      });
      if (start === undefined) continue;
      const before = ordered.slice(0, place).filter(isWanted);
      expect(readPage(listOf(places), { limit, order, before: start }, isWanted)).toEqual({
        rows: before.slice(-limit),
        next: before.length > limit ? before.at(-limit) : null,
      });
    }
  });

  it.each<PageRequest>([
    { limit: 20 },
    { limit: 20, order: "desc" },
    { limit: 20, order: "desc", after: "500000" },
    { limit: 20, order: "desc", before: "500000" },
    { limit: 20, before: "500000" },
  ])("of a million rows reads only its own rows and the next: %j", (request) => {
    let reads = 0;
    const list: Places<string> = {
      first: 0,
      last: 999_999,
      at: (place) => {
        reads++;
        return String(place);
      },
      placeOf: Number,
      keyOf: (row) => row,
    };

    expect(readPage(list, request, isAny)?.rows).toHaveLength(20);
    expect(reads).toBe(21);
  });
});

function listOf(rows: readonly (string | undefined)[]): Places<string> {
  return {
    first: 0,
    last: rows.length - 1,
    at: (place) => rows[place],
    placeOf: (key) => (rows.includes(key) ? rows.indexOf(key) : undefined),
    keyOf: (row) => row,
  };
}

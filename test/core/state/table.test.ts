import { describe, expect, it } from "vitest";
import { Table } from "../../../src/core/state/table.ts";
import { randomFrom } from "../../support/core.ts";

interface Row {
  readonly id: string;
  readonly color: string;
}

const isAny = (): boolean => true;
const isRed = ({ color }: Row): boolean => color === "red";

describe("a table", () => {
  it("leaves a row in its place when it is replaced", () => {
    const table = tableOf("a", "b", "c");
    table.put({ id: "a", color: "blue" });

    expect(table.size).toBe(3);
    expect(table.get("a")).toEqual({ id: "a", color: "blue" });
    expect(idsOf(table.all())).toEqual(["a", "b", "c"]);
  });

  it("takes names that objects have of their own as keys", () => {
    const table = tableOf("__proto__", "constructor");

    expect(idsOf(table.all())).toEqual(["__proto__", "constructor"]);
    expect(table.get("__proto__")?.id).toBe("__proto__");
  });
});

describe("a page of a table", () => {
  it("continues after the same row when that row has changed and others were added", () => {
    const table = tableOf("a", "b");
    const next = table.page({ limit: 1 }, isAny)?.next ?? "";
    table.put({ id: "a", color: "blue" });
    table.put({ id: "c", color: "red" });

    expect(idsOf(table.page({ limit: 5, after: next }, isAny)?.rows)).toEqual(["b", "c"]);
  });

  it.each([1, 2, 3, 7, 1000])(
    "shows every row once where one follows another, %i rows each",
    (limit) => {
      const ids = Array.from({ length: 25 }, (_, index) => `row ${index}`);
      const table = tableOf(...ids);
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = table.page({ limit, after }, isAny);
        expect(page?.rows.length).toBeLessThanOrEqual(limit);
        seen.push(...idsOf(page?.rows));
        after = page?.next ?? undefined;
      } while (after !== undefined);

      expect(seen).toEqual(ids);
    },
  );
});

describe("a table from which rows were removed", () => {
  it("shows pages across the gaps", () => {
    const ids = Array.from({ length: 20 }, (_, index) => `row ${index}`);
    const table = tableOf(...ids);
    const left = ids.filter((_, index) => ![0, 1, 5, 6, 7, 12, 19].includes(index));
    for (const id of ids) if (!left.includes(id)) table.remove(id);

    for (const limit of [1, 2, 3, 100]) {
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = table.page({ limit, after }, isAny);
        expect(page?.rows.length).toBeLessThanOrEqual(limit);
        seen.push(...idsOf(page?.rows));
        after = page?.next ?? undefined;
      } while (after !== undefined);
      expect(seen).toEqual(left);
    }
  });

  it("has no page after a removed row", () => {
    const table = tableOf("a", "b", "c");
    table.remove("b");

    expect(table.page({ limit: 1, after: "b" }, isAny)).toBeUndefined();
  });

  it("does not change a list that was taken before", () => {
    const table = tableOf("a", "b");
    const before = table.all();
    table.remove("a");
    table.put({ id: "b", color: "blue" });

    expect(before).toEqual([
      { id: "a", color: "red" },
      { id: "b", color: "red" },
    ]);
  });
});

describe("a look at all rows of a table", () => {
  it("can be left at any row", () => {
    const seen: string[] = [];
    for (const { id } of tableOf("a", "b", "c").each()) {
      seen.push(id);
      if (id === "b") break;
    }

    expect(seen).toEqual(["a", "b"]);
  });

  it("returns the rows of a table whose first thousands were removed", () => {
    const ids = Array.from({ length: 3000 }, (_, index) => `row ${index}`);
    const table = tableOf(...ids);
    for (const id of ids.slice(0, 2990)) table.remove(id);

    expect(idsOf([...table.each()])).toEqual(ids.slice(2990));
  });
});

describe("the newest row of a table", () => {
  it("is undefined if no row matches, or if the table is empty", () => {
    expect(tableOf("a").newest(({ color }) => color === "blue")).toBeUndefined();
    expect(tableOf().newest(isAny)).toBeUndefined();
  });

  it("is no other because an older one changed, and another once it is gone", () => {
    const table = tableOf("a", "b", "c");
    table.put({ id: "a", color: "red" });
    expect(table.newest(isRed)?.id).toBe("c");

    table.remove("c");
    expect(table.newest(isRed)?.id).toBe("b");
    table.remove("a");
    table.put({ id: "a", color: "red" });
    expect(table.newest(isRed)?.id).toBe("a");
  });
});

describe("a place of a table", () => {
  it("stays a row's own when others go, and is empty when the row goes", () => {
    const table = tableOf("a", "b", "c", "d");
    table.remove("a");
    table.remove("c");

    expect([0, 1, 2, 3].map((place) => table.at(place)?.id)).toEqual([
      undefined,
      "b",
      undefined,
      "d",
    ]);
  });

  it("stays a row's own when thousands before it go", () => {
    const ids = Array.from({ length: 5000 }, (_, index) => `row ${index}`);
    const table = tableOf(...ids);
    for (const id of ids.slice(0, 4990)) table.remove(id);
    table.put({ id: "new", color: "red" });

    expect(table.at(4989)).toBeUndefined();
    for (let place = 4990; place < 5000; place++) expect(table.at(place)?.id).toBe(`row ${place}`);
    expect(table.at(5000)?.id).toBe("new");
    expect(idsOf(table.page({ limit: 3, after: "row 4998" }, isAny)?.rows)).toEqual([
      "row 4999",
      "new",
    ]);
    expect(idsOf(table.page({ limit: 2 }, isAny)?.rows)).toEqual(["row 4990", "row 4991"]);
    expect(idsOf(table.all()).length).toBe(11);
  });
});

describe("a table that changes at random", { timeout: 60_000 }, () => {
  it.each([1, 2, 3, 4])("is what a plain list of its rows would be (seed %i)", (seed) => {
    const random = randomFrom(seed);
    const table = new Table<Row>(
      ({ id }) => id,
      ({ id }) => id.slice(-1),
    );
    let rows: Row[] = [];
    const places = new Map<string, number>();
    let came = 0;
    for (let step = 0; step < 12_000; step++) {
      const pick = rows[Math.floor(random() * rows.length * (step % 2 === 0 ? 1 : 0.05))];
      const roll = random();
      // It grows at first and shrinks in the end, mostly from its beginning, as history does.
      const isGrowing = step < 6000 ? roll < 0.6 : roll < 0.3;
      let answer: Row | undefined;
      if (isGrowing || !pick) {
        const row = { id: `row ${came++}`, color: random() < 0.5 ? "red" : "blue" };
        answer = table.put(row);
        rows.push(row);
        places.set(row.id, placeOf(table, row.id, came));
      } else if (roll > 0.9) {
        const row = { ...pick, color: "green" };
        answer = table.put(row);
        rows = rows.map((one) => (one === pick ? row : one));
      } else {
        answer = table.remove(pick.id);
        rows = rows.filter((one) => one !== pick);
      }
      if (answer !== (isGrowing ? undefined : pick)) throw new Error(`wrong at step ${step}`);
      if (step % 500 !== 0) continue;
      expect([table.size, table.all()]).toEqual([rows.length, rows]);
      expect([...table.each()]).toEqual(rows);
      const owned = rows.filter(({ id }) => id.endsWith("7"));
      expect([table.sizeOf("7"), table.sizeOf(null)]).toEqual([owned.length, rows.length]);
      expect(table.newest(isRed)).toBe(rows.findLast(isRed));
      const lost = rows.filter(
        (row) => table.get(row.id) !== row || table.at(places.get(row.id) ?? -1) !== row,
      );
      expect(lost).toEqual([]);
      const after = rows[Math.floor(random() * rows.length)];
      if (!after) continue;
      const behind = rows.slice(rows.indexOf(after) + 1).filter(isRed);
      expect(table.page({ limit: 7, after: after.id }, isRed)?.rows).toEqual(behind.slice(0, 7));
    }

    expect(came).toBeGreaterThan(3000);
  });
});

/** Where a row that was just put in is: the last place but for those that were given up. */
function placeOf(table: Table<Row>, id: string, came: number): number {
  for (let place = came - 1; place >= 0; place--) if (table.at(place)?.id === id) return place;
  throw new Error(`${id} has no place.`);
}

function tableOf(...ids: string[]): Table<Row> {
  const table = new Table<Row>(({ id }) => id);
  for (const id of ids) table.put({ id, color: "red" });
  return table;
}

function idsOf(rows: readonly Row[] = []): string[] {
  return rows.map(({ id }) => id);
}

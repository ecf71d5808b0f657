import { describe, expect, it } from "vitest";
import { Table } from "../../src/core/table.ts";

interface Row {
  readonly id: string;
  readonly colour: string;
}

const isAny = (): boolean => true;
const isRed = ({ colour }: Row): boolean => colour === "red";

describe("a table", () => {
  it("finds a row by its key, and nothing by another", () => {
    const table = tableOf("a", "b");

    expect(table.get("b")).toEqual({ id: "b", colour: "red" });
    for (const key of ["c", "", "__proto__", "constructor"]) expect(table.get(key)).toBeUndefined();
  });

  it("keeps a row's place when it is put in again", () => {
    const table = tableOf("a", "b", "c");
    table.put({ id: "a", colour: "blue" });

    expect(table.size).toBe(3);
    expect(table.get("a")).toEqual({ id: "a", colour: "blue" });
    expect(idsOf(table.all())).toEqual(["a", "b", "c"]);
  });

  it("takes names that objects have of their own as keys", () => {
    const table = tableOf("__proto__", "constructor");

    expect(idsOf(table.all())).toEqual(["__proto__", "constructor"]);
    expect(table.get("__proto__")?.id).toBe("__proto__");
  });
});

describe("a page of a table", () => {
  it("holds the first rows, and says where to go on", () => {
    const table = tableOf("a", "b", "c");

    expect(table.page(2, undefined, isAny)).toEqual({
      rows: [table.get("a"), table.get("b")],
      next: "b",
    });
  });

  it("holds what is left, and says that this is the end", () => {
    const table = tableOf("a", "b", "c");

    expect(table.page(2, "b", isAny)).toEqual({ rows: [table.get("c")], next: null });
  });

  it("is the last where it ends with the table", () => {
    const table = tableOf("a", "b");

    expect(table.page(2, undefined, isAny)?.next).toBeNull();
    expect(table.page(2, "b", isAny)).toEqual({ rows: [], next: null });
  });

  it("is the last where only unwanted rows follow", () => {
    const table = tableOf("a", "b");
    table.put({ id: "c", colour: "blue" });

    expect(table.page(2, undefined, isRed)).toEqual({
      rows: [table.get("a"), table.get("b")],
      next: null,
    });
  });

  it("passes over unwanted rows", () => {
    const table = new Table<Row>(({ id }) => id);
    for (const [id, colour] of ["ared", "bblue", "cred", "dblue", "ered"].map(
      (text) => [text.slice(0, 1), text.slice(1)] as const,
    ))
      table.put({ id, colour });

    expect(idsOf(table.page(2, undefined, isRed)?.rows)).toEqual(["a", "c"]);
    expect(table.page(2, undefined, isRed)?.next).toBe("c");
    expect(idsOf(table.page(2, "c", isRed)?.rows)).toEqual(["e"]);
  });

  it("is undefined behind a key that the table has not", () => {
    expect(tableOf("a").page(1, "z", isAny)).toBeUndefined();
    expect(tableOf().page(1, "a", isAny)).toBeUndefined();
    expect(tableOf("a").page(1, "", isAny)).toBeUndefined();
  });

  it("of an empty table is empty", () => {
    expect(tableOf().page(1, undefined, isAny)).toEqual({ rows: [], next: null });
  });

  it("goes on behind the same row after that row has changed and others came", () => {
    const table = tableOf("a", "b");
    const next = table.page(1, undefined, isAny)?.next ?? "";
    table.put({ id: "a", colour: "blue" });
    table.put({ id: "c", colour: "red" });

    expect(idsOf(table.page(5, next, isAny)?.rows)).toEqual(["b", "c"]);
  });

  it.each([1, 2, 3, 7, 1000])(
    "shows every row once where one follows another, %i rows each",
    (limit) => {
      const ids = Array.from({ length: 25 }, (_, index) => `row ${index}`);
      const table = tableOf(...ids);
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = table.page(limit, after, isAny);
        expect(page?.rows.length).toBeLessThanOrEqual(limit);
        seen.push(...idsOf(page?.rows));
        after = page?.next ?? undefined;
      } while (after !== undefined);

      expect(seen).toEqual(ids);
    },
  );
});

function tableOf(...ids: string[]): Table<Row> {
  const table = new Table<Row>(({ id }) => id);
  for (const id of ids) table.put({ id, colour: "red" });
  return table;
}

function idsOf(rows: readonly Row[] = []): string[] {
  return rows.map(({ id }) => id);
}

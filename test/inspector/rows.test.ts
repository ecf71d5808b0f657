import { describe, expect, it } from "vitest";
import { Rows } from "../../src/inspector/state/rows.ts";

interface Row {
  readonly id: string;
  readonly text?: string;
}

const row = (number: number): Row => ({ id: `row-${number}` });
const newRows = (max?: number): Rows<Row> =>
  new Rows<Row>(({ id }) => id, max === undefined ? {} : { maxRows: max });
const idsOf = (rows: Rows<Row>): string[] => [...rows].map(({ id }) => id);

describe("rows", () => {
  it("are newest first, as lists and as events bring them", () => {
    const rows = newRows();
    rows.replace([row(2), row(1)], 5, true);
    rows.put(row(3));
    rows.addOlder([row(0)], false);
    expect(idsOf(rows)).toEqual(["row-3", "row-2", "row-1", "row-0"]);
    expect(rows.at(0)).toEqual(row(3));
    expect(rows.oldestId).toBe("row-0");
    expect(rows.hasOlder.value).toBe(false);
  });

  it("are replaced in their place", () => {
    const rows = newRows();
    rows.replace([row(2), row(1)], 2, false);
    rows.put({ id: "row-1", text: "changed" });
    expect(idsOf(rows)).toEqual(["row-2", "row-1"]);
    expect(rows.get("row-1")?.text).toBe("changed");
    expect(rows.total.value).toBe(2);
    expect(rows.added).toBe(0);
  });

  it("that are older than all rows here take their place when the rows between are loaded", () => {
    const rows = new Rows<Row>(({ id }) => id, { timeOf: ({ id }) => id });
    rows.replace([row(9), row(8)], 5, true);
    rows.put({ id: "row-6", text: "changed" });
    expect(idsOf(rows)).toEqual(["row-9", "row-8"]);
    expect(rows.get("row-6")?.text).toBe("changed");
    expect([rows.total.value, rows.added]).toEqual([5, 0]);
    rows.addOlder([row(7), row(6), row(5)], false);
    expect(idsOf(rows)).toEqual(["row-9", "row-8", "row-7", "row-6", "row-5"]);
    expect(rows.get("row-6")?.text).toBe("changed");
  });

  it("that were added while a list was read stay above it", () => {
    const rows = newRows();
    rows.replace([row(2), row(1)], 2, false);
    rows.put(row(3));
    rows.put(row(4));
    rows.replace([row(3), row(2), row(1)], 3, false, 2);
    expect(idsOf(rows)).toEqual(["row-4", "row-3", "row-2", "row-1"]);
    expect(rows.total.value).toBe(4);
  });

  it("count all rows of the sandbox, those that are not loaded too", () => {
    const rows = newRows();
    rows.replace([row(9)], 10, true);
    rows.put(row(10));
    expect(rows.total.value).toBe(11);
  });

  it("drop the oldest ones, which can be loaded again", () => {
    const rows = newRows(100);
    for (let number = 0; number < 1000; number++) rows.put(row(number));
    expect(rows.size).toBe(100);
    expect(rows.oldestId).toBe("row-900");
    expect(rows.at(0)).toEqual(row(999));
    expect(rows.get("row-0")).toBeUndefined();
    expect(rows.hasOlder.value).toBe(true);
    expect(rows.total.value).toBe(1000);
  });

  it("are not dropped after the user has scrolled to them, nor while older ones load", () => {
    const rows = newRows(2);
    rows.replace([row(4), row(3)], 4, true);
    rows.isLoadingOlder = true;
    rows.put(row(5));
    expect(rows.oldestId).toBe("row-3");
    rows.addOlder([row(2), row(1)], false);
    rows.isLoadingOlder = false;
    rows.put({ id: "row-5", text: "changed" });
    expect(idsOf(rows)).toEqual(["row-5", "row-4", "row-3", "row-2", "row-1"]);
    rows.put(row(6));
    expect(idsOf(rows)).toEqual(["row-6", "row-5", "row-4", "row-3", "row-2"]);
    expect(rows.hasOlder.value).toBe(true);
  });

  it("are all there after they were replaced or extended, however many were dropped before", () => {
    const rows = newRows(10);
    const fill = () => {
      for (let number = 0; number < 500; number++) rows.put(row(number));
    };
    fill();
    rows.replace([row(3), row(2), row(1)], 3, false);
    expect([idsOf(rows), rows.oldestId]).toEqual([["row-3", "row-2", "row-1"], "row-1"]);
    fill();
    rows.addOlder([row(489), row(488)], true);
    expect([rows.size, rows.oldestId, rows.at(11)]).toEqual([12, "row-488", row(488)]);
  });

  it("are full at 20,000, and then no older ones are loaded", () => {
    const rows = newRows();
    const listed = (count: number) => Array.from({ length: count }, (_, number) => row(number));
    rows.replace(listed(19_999), 30_000, true);
    expect(rows.isFull).toBe(false);
    rows.replace(listed(20_000), 30_000, true);
    expect(rows.isFull).toBe(true);
    expect([rows.size, rows.at(20_000)]).toEqual([20_000, undefined]);
  });

  it("remember the last thousand changes of rows that are not loaded", () => {
    const rows = new Rows<Row>(({ id }) => id, { timeOf: ({ id }) => id });
    rows.replace([{ id: "z" }], 5000, true);
    for (let number = 0; number < 1001; number++) rows.put(row(number));
    expect(rows.get("row-0")).toBeUndefined();
    expect(rows.get("row-1")).toEqual(row(1));
    rows.put(row(1));
    rows.put(row(2000));
    expect(rows.get("row-1")).toEqual(row(1));
    expect(rows.get("row-2")).toBeUndefined();
    expect([rows.size, rows.total.value]).toEqual([1, 5000]);
    rows.replace([{ id: "z" }], 1, false);
    rows.put(row(1));
    expect(idsOf(rows)).toEqual(["row-1", "z"]);
  });

  it("are at least as many as are here", () => {
    const rows = newRows();
    rows.replace([row(2), row(1)], 0, true);
    expect(rows.total.value).toBe(2);
    rows.addOlder([row(1), row(0)], false);
    expect([idsOf(rows), rows.total.value]).toEqual([["row-2", "row-1", "row-0"], 3]);
  });

  it("are drawn when they are shown", () => {
    const rows = newRows();
    const before = rows.version.value;
    rows.put(row(1));
    expect(rows.version.value).toBe(before);
    rows.show();
    expect(rows.version.value).toBeGreaterThan(before);
  });
});

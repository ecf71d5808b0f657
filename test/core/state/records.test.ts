import { describe, expect, it } from "vitest";
import { type Change, putsOf, Records } from "../../../src/core/state/records.ts";
import type { PageRequest } from "../../../src/core/state/page.ts";
import { Table } from "../../../src/core/state/table.ts";
import { View } from "../../../src/core/state/view.ts";
import {
  attempt,
  delivery,
  payin,
  payout,
  randomChange,
  randomFrom,
  payinsOf,
  payoutsOf,
} from "../../support/core.ts";

const OWNERS = ["shop", "other"];
const ALL: PageRequest = { limit: 1000 };

/** Everything that can be looked up, in a form that can be compared. */
function contentOf(records: Records): unknown {
  const lists = records.listsOf(null);
  const keys = (lists.transactions ?? []).map(({ key }) => key);
  const owned = OWNERS.map((owner) => {
    const { waitingByCpf, waitingByPixKey } = records.integration(owner);
    const taken = keys.map((key) => records.takenFor(owner, key)?.record.id);
    return { waitingByCpf: [...waitingByCpf].toSorted(), waitingByPixKey, taken };
  });
  return structuredClone({ lists, owned });
}

function randomRecords(seed: number, steps: number, records = new Records()) {
  const random = randomFrom(seed);
  const undos: (() => void)[] = [];
  const before: unknown[] = [];
  for (let step = 1; step <= steps; step++) {
    before.push(contentOf(records));
    const change = randomChange(records, random, step);
    const reset = ["reset", random() < 0.5 ? "shop" : null] as const;
    undos.push(records.apply(random() < 0.03 ? [reset, ...change] : change));
  }
  return { records, undos, before };
}

describe("changes", { timeout: 60_000 }, () => {
  it.each([1, 2, 3])(
    "that are undone, the latest first, leave what was before (seed %i)",
    (seed) => {
      const { records, undos, before } = randomRecords(seed, 150);
      for (const undo of undos.toReversed()) {
        undo();
        expect(contentOf(records)).toEqual(before.pop());
      }
    },
  );

  it.each([4, 5])("make the same records again from all rows of these (seed %i)", (seed) => {
    const { records } = randomRecords(seed, 300);
    const again = new Records();
    again.apply(JSON.parse(JSON.stringify(putsOf(records.listsOf(null)))) as Change);
    expect(contentOf(again)).toEqual(contentOf(records));
  });

  it("with one row twice are undone too, and so is the removal of a row by its key", () => {
    const records = new Records();
    const undo = records.apply(
      putsOf({ transactions: [payout(), payout({ status: "canceled" }), payout()] }),
    );
    undo();
    expect(contentOf(records)).toEqual(contentOf(new Records()));
    const configuration = { integration: "shop", webhook_url: "", events: [] };
    records.apply([["webhookConfigurations", configuration]]);
    const restore = records.apply([["webhookConfigurations", null, "shop"]]);
    expect(records.table("webhookConfigurations").size).toBe(0);
    restore();
    expect(records.table("webhookConfigurations").get("shop")).toBeDefined();
  });
});

describe("a reset", () => {
  it.each(["shop", null])("removes the records of %s, but never the identity", (integration) => {
    const records = new Records();
    const both = OWNERS.map((owner) => payin({ id: owner, integration: owner }));
    records.apply([["identity", { seed: "42", secret: "" }], ...putsOf({ transactions: both })]);
    records.integration("unused");
    records.apply([
      ["reset", integration],
      ["transactions", payin({ id: "new" })],
    ]);

    const others = integration === null ? [] : ["other"];
    expect(payinsOf(records).map(({ id }) => id)).toEqual([...others, "new"]);
    expect(records.takenFor("shop", "order-1")?.record.id).toBe("new");
    expect([...records.integrations.keys()]).toEqual([
      ...(integration === null ? [] : ["other", "unused"]),
      "shop",
    ]);
    expect(records.identity?.seed).toBe("42");
  });
});

describe("idempotency keys", () => {
  it("belong to the newest record of their integration that has them", () => {
    const records = new Records();
    const rows = [
      payin({ id: "second", ordinal: 2, key: "__proto__" }),
      payin({ id: "first", ordinal: 1, key: "__proto__" }),
    ];
    records.apply(putsOf({ transactions: rows }));
    expect(records.takenFor("shop", "__proto__")?.record.id).toBe("second");
    expect(records.takenFor("shop", "constructor")).toBeUndefined();
    expect(records.takenFor("other", "__proto__")).toBeUndefined();
  });

  it("are dropped a few at a time, the oldest first, and stay dropped", () => {
    const records = new Records();
    const ids = Array.from({ length: 40 }, (_, index) => `payin ${index}`);
    records.apply(
      putsOf({ transactions: ids.map((id, ordinal) => payin({ id, ordinal, key: id })) }),
    );
    const taken = () => ids.filter((id) => records.takenFor("shop", id)).length;
    const isPast = ({ ordinal }: { readonly ordinal: number }) => ordinal < 30;
    const counts = [1, 2, 3].map(() => {
      records.forgetKeys(isPast);
      return taken();
    });
    expect(counts).toEqual([24, 10, 10]);
    const [first] = records.transactions.all();
    expect(first).toEqual(payin({ id: "payin 0", ordinal: 0, key: "", request: "" }));
    if (first) records.apply([["transactions", { ...first }]]);
    expect(taken()).toBe(10);
  });
});

describe("deliveries with a limited history", () => {
  it("are those that finished last, and all that are pending", () => {
    const records = new Records(2);
    const finish = (id: string) =>
      records.apply([["deliveries", delivery({ id, status: "delivered", attempts: [attempt()] })]]);
    records.apply(putsOf({ deliveries: ["a", "b", "c", "d"].map((id) => delivery({ id })) }));
    const undo = ["c", "a", "d"].map(finish).at(-1);
    expect(records.deliveries.all().map(({ id }) => id)).toEqual(["a", "b", "d"]);
    undo?.();
    for (const id of ["b", "d"]) finish(id);
    expect(records.deliveries.all().map(({ id }) => id)).toEqual(["b", "d"]);
  });
});

// The next file has the same of deliveries.
it("an integration's view is its own part of all payins and payouts", () => {
  const { records } = randomRecords(6, 300);
  for (const owner of ["shop", null]) {
    const view = new View(records, owner);
    const isOwn = ({ integration }: { readonly integration: string }): boolean =>
      owner === null || integration === owner;
    const isWaiting = ({ status }: { readonly status: string }): boolean => status === "waiting";
    const payins = payinsOf(records).filter((one) => isOwn(one) && isWaiting(one));
    expect(view.records("payin", ALL, isWaiting)?.rows).toEqual(payins);
    const payouts = payoutsOf(records).filter(isOwn);
    const all = { rows: payouts, next: null, total: payouts.length };
    expect(view.records("payout", ALL)).toEqual(all);
    const foreign = payinsOf(records).find((one) => !isOwn(one));
    expect(foreign && view.transaction("payin", foreign.id)).toBeUndefined();
    if (foreign) expect(view.records("payin", { limit: 1, after: foreign.id })).toBeUndefined();
  }
});

describe("a page of a table", { timeout: 60_000 }, () => {
  it.each([7, 8])(
    "is the requested part of its rows, also after many removals (seed %i)",
    (seed) => {
      const random = randomFrom(seed);
      const table = new Table<string>();
      let rows: string[] = [];
      for (let step = 0; step < 6000; step++) {
        const key = `${Math.floor(random() * 3000)}`;
        if (random() < 0.7) {
          table.set(key, key);
          if (!rows.includes(key)) rows.push(key);
        } else {
          table.delete(key);
          rows = rows.filter((row) => row !== key);
        }
      }
      for (const key of rows.splice(0, rows.length - 100)) table.delete(key);
      expect([table.all(), table.size]).toEqual([rows, 100]);

      const isWanted = (row: string): boolean => row.length > 2;
      const wanted = rows.filter(isWanted);
      const keyOf = (row: string): string => row;
      const from = wanted.indexOf(wanted[20] ?? "");
      const page = (request: PageRequest) => table.page(request, keyOf, isWanted);
      expect(page({ limit: 10, after: wanted[from] })?.rows).toEqual(wanted.slice(21, 31));
      expect(page({ limit: 10, before: wanted[from] })?.rows).toEqual(wanted.slice(10, 20));
      expect(page({ limit: 10, after: wanted[from], order: "desc" })).toEqual({
        rows: wanted.slice(10, 20).toReversed(),
        next: wanted[10],
        total: wanted.length,
      });
      expect(page({ limit: 1000, prefix: "1" })).toEqual({
        rows: wanted.filter((row) => row.startsWith("1")),
        next: null,
        total: undefined,
      });
      expect(page({ limit: 1, after: "none" })).toBeUndefined();
    },
  );
});

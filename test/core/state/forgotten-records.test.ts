import { describe, expect, it } from "vitest";
import type { Payin } from "../../../src/core/records/payin.ts";
import type { Payout } from "../../../src/core/records/payout.ts";
import { Records } from "../../../src/core/state/records.ts";
import { attempt, delivery, payin, payout, randomFrom } from "../../support/core.ts";
import { SEEDS, SHOPS, finished, idsOf } from "./world.ts";

describe("deliveries with a limited history", { timeout: 60_000 }, () => {
  it("never lose one that is pending, however old it is and however often it was tried", () => {
    const records = new Records(1);
    records.apply({ deliveries: [delivery({ id: "pending" })] });
    for (let number = 1; number <= 100; number++) {
      const attempts = [attempt({ status: 500, eventNumber: number * 3 })];
      records.apply({ deliveries: [delivery({ id: "pending", attempts })] });
      records.apply({ deliveries: [delivery({ id: `${number}` })] });
      records.apply({ deliveries: [finished(`${number}`)] });
    }

    expect(idsOf(records.deliveries.all())).toEqual(["pending", "100"]);
  });

  it("are all stored without a limit", () => {
    const records = new Records();
    for (let id = 0; id < 3000; id++) records.apply({ deliveries: [finished(`${id}`)] });

    expect(records.deliveries.size).toBe(3000);
  });

  it("are the last that were finished and all that are pending, after any changes", () => {
    for (const seed of SEEDS) {
      const random = randomFrom(seed);
      const limit = Math.floor(random() * 8);
      const records = new Records(limit);
      const pending: string[] = [];
      const done: string[] = [];
      for (let step = 0; step < 300; step++) {
        const isNew = random() < 0.55 || pending.length === 0;
        const id = isNew
          ? `${step}`
          : (pending.splice(Math.floor(random() * pending.length), 1)[0] ?? "");
        if (isNew) pending.push(id);
        else done.push(id);
        records.apply({ deliveries: [isNew ? delivery({ id }) : finished(id)] });
        const kept = [...pending, ...(limit === 0 ? [] : done.slice(-limit))];
        expect(new Set(idsOf(records.deliveries.all()))).toEqual(new Set(kept));
      }
    }
  });
});

describe("keys that are forgotten", { timeout: 60_000 }, () => {
  const isBefore =
    (ms: number) =>
    ({ createdAtMs }: Payin | Payout): boolean =>
      createdAtMs < ms;

  /** A payin and a payout created at each millisecond, with a key of its own. */
  const recordsOf = (count: number): Records => {
    const records = new Records();
    for (let at = 0; at < count; at++) {
      records.apply({
        payins: [
          payin({
            id: `in ${at}`,
            ordinal: at * 2 + 1,
            idempotencyKey: `in ${at}`,
            createdAtMs: at,
          }),
        ],
        payouts: [
          payout({
            id: `out ${at}`,
            ordinal: at * 2 + 2,
            idempotencyKey: `out ${at}`,
            createdAtMs: at,
          }),
        ],
      });
    }
    return records;
  };
  const takenIn = (records: Records, count: number): string[] =>
    Array.from({ length: count }, (_, at) => [`in ${at}`, `out ${at}`])
      .flat()
      .filter((key) => records.takenFor("shop", key) !== undefined);

  it("are those that are past, and no others", () => {
    const records = recordsOf(10);
    records.forgetKeys(isBefore(4));

    const left = [4, 5, 6, 7, 8, 9].flatMap((at) => [`in ${at}`, `out ${at}`]);
    expect(takenIn(records, 10)).toEqual(left);
    for (const key of left) expect(records.takenFor("shop", key)?.id).toBe(key);
  });

  it("are none if none have expired", () => {
    const records = recordsOf(10);
    const before = records.toChange();
    records.forgetKeys(isBefore(0));

    expect(records.toChange()).toEqual(before);
    expect(takenIn(records, 10).length).toBe(20);
  });

  it("are removed a few at a time, and in the end all expired ones", () => {
    const records = recordsOf(500);
    const left: number[] = [takenIn(records, 500).length];
    while (left.at(-1) !== 100 && left.length < 1000) {
      let asked = 0;
      records.forgetKeys((record) => {
        asked++;
        return isBefore(450)(record);
      });
      expect(asked).toBeLessThanOrEqual(64);
      left.push(takenIn(records, 500).length);
      expect((left.at(-2) ?? 0) - (left.at(-1) ?? 0)).toBeGreaterThan(0);
      expect((left.at(-2) ?? 0) - (left.at(-1) ?? 0)).toBeLessThanOrEqual(64);
    }

    expect(left.at(-1)).toBe(100);
    records.forgetKeys(isBefore(450));
    expect(takenIn(records, 500).length).toBe(100);
    // What is not past today is tomorrow.
    for (let time = 0; time < 20; time++) records.forgetKeys(isBefore(500));
    expect(takenIn(records, 500)).toEqual([]);
  });

  it("take no record with them, and nothing of a record but the key and the request", () => {
    const records = recordsOf(40);
    const before = records.toChange();
    for (let time = 0; time < 10; time++) records.forgetKeys(() => true);

    const after = records.toChange();
    const forgotten = { idempotencyKey: "", request: "" };
    expect(after.payins).toEqual(before.payins?.map((row) => ({ ...row, ...forgotten })));
    expect(after.payouts).toEqual(before.payouts?.map((row) => ({ ...row, ...forgotten })));
    expect(records.integration("shop").usedKeys.size).toBe(0);
    expect(records.integration("shop").waitingByCpf).toEqual(new Map([["52998224725", 40]]));
  });

  it("can be taken anew, and are not forgotten again for the record that had them first", () => {
    const records = recordsOf(3);
    const anew = payin({ id: "anew", ordinal: 99, idempotencyKey: "in 1", createdAtMs: 50 });
    records.apply({ payins: [anew] });
    for (let time = 0; time < 3; time++) records.forgetKeys(isBefore(50));

    expect(records.takenFor("shop", "in 0")).toBeUndefined();
    expect(records.takenFor("shop", "in 1")).toEqual(anew);
    expect(records.payins.get("in 1")?.idempotencyKey).toBe("");
  });

  it("can be taken anew after they were forgotten", () => {
    const records = recordsOf(3);
    records.forgetKeys(isBefore(3));
    expect(takenIn(records, 3)).toEqual([]);
    const anew = payout({ id: "anew", ordinal: 99, idempotencyKey: "in 1", createdAtMs: 50 });
    records.apply({ payouts: [anew] });
    records.forgetKeys(isBefore(50));

    expect(records.takenFor("shop", "in 1")).toEqual(anew);
  });

  it("do not come back when their record changes", () => {
    const records = recordsOf(2);
    records.forgetKeys(isBefore(2));
    for (const row of records.payins.all())
      records.apply({ payins: [{ ...row, status: "paid", settledAtMs: 9, endToEndId: "E" }] });

    expect(takenIn(records, 2)).toEqual([]);
    expect(records.takenFor("shop", "")).toBeUndefined();
  });

  it("stay forgotten in records that are made from these", () => {
    const records = recordsOf(6);
    records.forgetKeys(isBefore(3));
    const again = new Records();
    again.apply(records.toChange());

    expect(takenIn(again, 6)).toEqual(takenIn(records, 6));
    for (let time = 0; time < 3; time++) again.forgetKeys(isBefore(5));
    expect(takenIn(again, 6)).toEqual(["in 5", "out 5"]);
  });

  it("are those of each integration alone", () => {
    const records = new Records();
    for (const [index, integration] of SHOPS.entries())
      records.apply({
        payins: [payin({ id: `${index}`, integration, idempotencyKey: "key", createdAtMs: index })],
      });
    records.forgetKeys(isBefore(1));

    expect(SHOPS.map((shop) => records.takenFor(shop, "key")?.id)).toEqual([undefined, "1", "2"]);
  });
});

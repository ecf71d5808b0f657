import { describe, expect, it } from "vitest";
import {
  BoundedMap,
  MAX_INTEGRATIONS,
  MAX_STORED,
  RecentMap,
  Tally,
} from "../../src/review/tally.ts";
import { type Evidence, MAX_COUNTED } from "../../src/review/finding.ts";
import { UsedAssumptions } from "../../src/review/reviewer.ts";
import { say } from "../../src/text/message.ts";

const evidence = (atMs: number) => (): Evidence => ({
  atMs,
  text: say``,
  command: "",
});

describe("a bounded map", () => {
  it("drops its oldest entry, and reports it", () => {
    const dropped: unknown[] = [];
    const map = new BoundedMap<string, number>(2, (...entry) => dropped.push(entry));
    map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
    expect([[...map], dropped]).toEqual([
      [
        ["b", 2],
        ["c", 4],
      ],
      [["a", 3]],
    ]);
  });
});

describe("a map of recent entries", () => {
  it("has at least half of its maximum of the newest, and at most its maximum", () => {
    const map = new RecentMap<number>(100);
    for (let index = 0; index < 1000; index++) {
      map.set(`key ${index}`, index);
      expect(map.size).toBeLessThanOrEqual(100);
      expect(map.get(`key ${Math.max(0, index - 49)}`)).toBe(Math.max(0, index - 49));
    }
    expect(map.get("key 0")).toBeUndefined();
  });

  it("deletes an entry wherever it is, and those of one integration", () => {
    const map = new RecentMap<number>(4);
    for (const [index, key] of ["a\n1", "ab\n1", "a\n2"].entries()) map.set(key, index);
    map.clear("a\n");
    expect([map.size, map.get("ab\n1")]).toEqual([1, 1]);
    map.delete("ab\n1");
    expect(map.size).toBe(0);
  });
});

describe("the tally", () => {
  it("stores so much, and no more; what it drops still counts for all", () => {
    const tally = new Tally();
    tally.broken("first", "webhook_never_received", "evt", evidence(1));
    for (let index = 0; index < 20_000; index++) {
      tally.kept(`shop ${index}`, "duplicate_refused");
      for (let count = 0; count < 3; count++)
        tally.broken(`shop ${index}`, "charge_created_twice", `${index} ${count}`, evidence(index));
    }
    expect(tally.size.integrations).toBeLessThanOrEqual(MAX_INTEGRATIONS);
    expect(tally.size.evidence).toBeLessThanOrEqual(MAX_STORED);
    expect(tally.observed("first", 0).get("webhook_never_received")?.broken).toEqual([]);
    expect(tally.observed(null, 0).get("webhook_never_received")?.broken).toEqual([evidence(1)()]);
    tally.mended("first", "webhook_never_received", "evt");
    expect(tally.observed(null, 0).get("webhook_never_received")?.broken).toEqual([]);
    tally.clear(null);
    expect(tally.size).toEqual({ integrations: 0, evidence: 0 });
  });

  it("stores the newest evidence of one rule, and drops other integrations first", () => {
    const tally = new Tally();
    for (let index = 0; index < 300; index++)
      tally.broken("shop", "charge_created_twice", `${index}`, evidence(index));
    const { broken = [] } = tally.observed("shop", 0).get("charge_created_twice") ?? {};
    expect([broken.length, broken[0]?.atMs, broken.at(-1)?.atMs]).toEqual([MAX_COUNTED, 200, 299]);
    for (let index = 0; index < 300; index++)
      for (let count = 0; count < 100; count++)
        tally.broken(`${index}`, "charge_created_twice", `${index} ${count}`, evidence(0));
    expect(tally.size.evidence).toBeLessThanOrEqual(MAX_STORED);
    expect(tally.observed(null, 0).get("charge_created_twice")?.broken.length).toBeGreaterThan(0);
    tally.clear("299");
    expect(tally.observed("299", 0).get("charge_created_twice")?.broken).toEqual([]);
  });
});

describe("the used assumptions", () => {
  it("are stored for so many integrations, and of the others for all", () => {
    const used = new UsedAssumptions();
    used.namesOf("first").add("cpf.check");
    for (let index = 0; index < 20_000; index++) used.add(`${index}`, ["webhook.success"]);
    const oldest = 20_000 - MAX_INTEGRATIONS;
    expect(used.of("first")).toEqual([]);
    expect(used.of(`${oldest - 1}`)).toEqual([]);
    expect(used.of(`${oldest}`)).toEqual(["webhook.success"]);
    expect(used.of(null)).toEqual(["cpf.check", "webhook.success"]);
    used.clear(null);
    expect(used.of(null)).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import {
  effectKindsOn,
  effectRule,
  EFFECTS,
  FAULT_PLACES,
  isEffectOn,
  partsOf,
  readEffect,
} from "../../../src/core/faults/effects.ts";
import { type Fault, FaultUses } from "../../../src/core/faults/fault.ts";
import { Records } from "../../../src/core/state/records.ts";
import { createGateway } from "../../support/core.ts";
import { english } from "../../../src/text/languages.ts";

describe("the text of an effect", () => {
  it.each([
    "error=EXTERNAL_ERROR",
    "latency_ms=1",
    "latency_ms=600000",
    "lost_answer",
    "hold",
    'patch_body={"a":"b=c"}',
    "duplicate",
    "duplicate_at_once",
    "delay_ms=31622400000",
    "reorder",
    "drop_attempts=100",
    "bad_signature",
    "early",
  ])("is read, and fits calls or webhooks as the rule lists it: %s", (text) => {
    expect(readEffect(` ${text} `)).toBe(text);
    const { kind, value } = partsOf(text);
    expect(text).toBe(value === "" ? kind : `${kind}=${value}`);
    for (const place of FAULT_PLACES) {
      const isListed = new RegExp(`\\b${kind}\\b`).test(english(effectRule("effect", place)));
      expect([isListed, effectKindsOn(place).includes(kind)]).toEqual(
        Array(2).fill(isEffectOn(text, place)),
      );
    }
  });

  it.each([
    "",
    "error",
    "error=",
    "error=INVALID_VALUE",
    "error=external_error",
    "ERROR=EXTERNAL_ERROR",
    "latency_ms",
    "latency_ms=0",
    "latency_ms=-1",
    "latency_ms=1.5",
    "latency_ms=1e3",
    "latency_ms=600001",
    "delay_ms=31622400001",
    "drop_attempts=101",
    "drop_attempts=02",
    "hold=1",
    "early=true",
    "duplicate,reorder",
    "hold\nhold",
    "toString",
    "__proto__",
    "constructor=1",
  ])("is refused: %j", (text) => {
    expect(readEffect(text)).toBeUndefined();
  });

  it("exists for each effect of the table", () => {
    expect(Object.keys(EFFECTS)).toHaveLength(12);
  });
});

function fault(members: Partial<Fault> = {}): Fault {
  return {
    id: "flt_1",
    integration: null,
    ordinal: 1,
    on: "payouts.create",
    effect: "hold",
    used: 0,
    drawn: 0,
    ...members,
  };
}

function usesOf(faults: readonly Fault[], chance = (_id: string, _counter: number) => 0) {
  const records = new Records();
  records.load("faults", faults);
  return new FaultUses(records, { chance });
}

describe("a fault", () => {
  const take = (uses: FaultUses, members = {}) =>
    uses.take("payouts.create", "shop", () => members)?.id;

  it("acts so often, then the next does", () => {
    const uses = usesOf([fault({ id: "a", times: 2 }), fault({ id: "b" })]);
    expect([take(uses), take(uses), take(uses), take(uses)]).toEqual(["a", "a", "b", "b"]);
    expect(uses.change).toMatchObject([
      ["faults", { id: "a", times: 0, used: 2 }],
      ["faults", { id: "b", used: 2 }],
    ]);
  });

  it("acts at its own place, on its own integration or on all", () => {
    const others = [
      fault({ id: "a", on: "payins.create" }),
      fault({ id: "b", integration: "other" }),
    ];
    expect(take(usesOf(others))).toBeUndefined();
    expect(take(usesOf([...others, fault({ id: "c" })]))).toBe("c");
    expect(take(usesOf([...others, fault({ id: "c", integration: "shop" })]))).toBe("c");
  });

  it("applies if all members exist and are equal as JSON", () => {
    const match = { cpf: "1", value: 10.5, more: { a: 1, b: [null] } };
    const uses = usesOf([fault({ match })]);
    expect(take(uses, { ...match, more: { b: [null], a: 1 }, other: 1 })).toBe("flt_1");
    expect(take(uses, { ...match, value: "10.5" })).toBeUndefined();
    expect(take(uses, { ...match, more: { a: 1, b: [] } })).toBeUndefined();
    expect(take(uses, { cpf: "1" })).toBeUndefined();
    expect(take(usesOf([fault({ match: { toString: null } })]), {})).toBeUndefined();
  });

  it("with a probability draws each time, and acts as often as that, the same for the same seed", () => {
    const counters: number[] = [];
    const uses = usesOf([fault({ probability: 0.5 })], (_id, counter) => counters.push(counter));
    for (let call = 0; call < 3; call++) take(uses);
    expect(counters).toEqual([0, 1, 2]);

    const draw = (seed: string, probability: number): readonly boolean[] => {
      const { gateway } = createGateway({ seed });
      const effect = "error=EXTERNAL_ERROR";
      void gateway.faults.create(null, { on: "payins.simulate", effect, probability });
      const call = { operation: "payins.simulate", integration: "shop", key: null } as const;
      return Array.from({ length: 400 }, () => {
        return gateway.faults.take({ ...call, request: "{}" }) !== undefined;
      });
    };
    const some = draw("one", 0.25);
    expect(draw("one", 0.25)).toEqual(some);
    expect(draw("two", 0.25)).not.toEqual(some);
    expect(some.filter(Boolean).length).toBeGreaterThan(60);
    expect(some.filter(Boolean).length).toBeLessThan(140);
    expect(draw("one", 0)).not.toContain(true);
    expect(draw("one", 1)).not.toContain(false);
  });
});

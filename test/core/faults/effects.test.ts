import { describe, expect, it } from "vitest";
import {
  effectKindsOn,
  effectRule,
  FAULT_PLACES,
  isEffectOn,
  partsOf,
  readEffect,
} from "../../../src/core/faults/effects.ts";
import { type Fault, faultUses } from "../../../src/core/faults/fault.ts";
import { Records } from "../../../src/core/state/records.ts";
import { createGateway } from "../../support/core.ts";
import { english } from "../../../src/text/languages.ts";

describe("the text of an effect", () => {
  const texts =
    'error=EXTERNAL_ERROR latency_ms=1 latency_ms=600000 lost_answer hold patch_body={"a":"b=c"} duplicate duplicate_at_once delay_ms=31622400000 reorder drop_attempts=100 bad_signature early';

  it.each(texts.split(" "))("is read, and listed where it fits: %s", (text) => {
    expect(readEffect(` ${text} `)).toBe(text);
    const { kind, value } = partsOf(text);
    expect(text).toBe(value === "" ? kind : `${kind}=${value}`);
    for (const place of FAULT_PLACES) {
      const isListed = new RegExp(`\\b${kind}\\b`).test(english(effectRule("effect", place)));
      const fits = isEffectOn(text, place);
      expect([isListed, effectKindsOn(place).includes(kind)]).toEqual([fits, fits]);
    }
  });

  const wrong =
    "|error|error=|error=INVALID_VALUE|error=external_error|ERROR=EXTERNAL_ERROR|latency_ms|latency_ms=0|latency_ms=-1|latency_ms=1.5|latency_ms=1e3|latency_ms=600001|delay_ms=31622400001|drop_attempts=101|drop_attempts=02|hold=1|early=true|duplicate,reorder|hold\nhold|toString|__proto__|constructor=1";

  it.each(wrong.split("|"))("is refused: %j", (text) => {
    expect(readEffect(text)).toBeUndefined();
  });
});

describe("a fault", () => {
  const fault = (members: Partial<Fault> = {}): Fault => ({
    id: "flt_1",
    integration: null,
    ordinal: 1,
    on: "payouts.create",
    effect: "hold",
    used: 0,
    drawn: 0,
    ...members,
  });
  const usesOf = (faults: readonly Fault[], chance = (_id: string, _counter: number) => 0) => {
    const records = new Records();
    records.load("faults", faults);
    return faultUses(records.faults, { chance });
  };
  const take = (uses: ReturnType<typeof faultUses>, members = {}) =>
    uses.take("payouts.create", "shop", () => members)?.id;

  it("acts so often, then the next does", () => {
    const uses = usesOf([fault({ id: "a", times: 2 }), fault({ id: "b" })]);
    expect([take(uses), take(uses), take(uses), take(uses)]).toEqual(["a", "a", "b", "b"]);
    expect(uses.change()).toMatchObject([
      ["faults", { id: "a", times: 0, used: 2 }],
      ["faults", { id: "b", used: 2 }],
    ]);
  });

  const match = { cpf: "1", value: 10.5, more: { a: 1, b: [null] } };

  it.each<[string, Partial<Fault>, object, boolean]>([
    ["on all integrations", {}, {}, true],
    ["on its own integration", { integration: "shop" }, {}, true],
    ["on no other integration", { integration: "other" }, {}, false],
    ["at no other place", { on: "payins.create" }, {}, false],
    ["with all members", { match }, { ...match, more: { b: [null], a: 1 }, other: 1 }, true],
    ["with no other JSON", { match }, { ...match, value: "10.5" }, false],
    ["with no other list", { match }, { ...match, more: { a: 1, b: [] } }, false],
    ["with no member missing", { match }, { cpf: "1" }, false],
    ["with no inherited member", { match: { toString: null } }, {}, false],
  ])("acts %s", (_title, members, found, acts) => {
    expect(take(usesOf([fault(members)]), found)).toBe(acts ? "flt_1" : undefined);
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
      return Array.from(
        { length: 400 },
        () => gateway.faults.take({ ...call, request: "{}" }) !== undefined,
      );
    };
    const some = draw("one", 0.25);
    expect(draw("one", 0.25)).toEqual(some);
    expect(draw("two", 0.25)).not.toEqual(some);
    expect(Math.abs(some.filter(Boolean).length - 100)).toBeLessThan(40);
    expect(draw("one", 0)).not.toContain(true);
    expect(draw("one", 1)).not.toContain(false);
  });
});

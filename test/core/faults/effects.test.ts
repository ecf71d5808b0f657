import { describe, expect, it } from "vitest";
import {
  type Effect,
  effectRule,
  EFFECTS,
  FAULT_PLACES,
  INJECTED_CODES,
  isEffectOn,
  readEffect,
  writeEffect,
} from "../../../src/core/faults/effects.ts";
import { type Fault, FaultUses } from "../../../src/core/faults/fault.ts";
import { HeldCalls } from "../../../src/core/operations/held-calls.ts";
import {
  createGateway,
  deferred,
  payinCall,
  randomFrom,
  turns,
  watch,
} from "../../support/core.ts";
import { english } from "../../../src/text/languages.ts";

const random = randomFrom(6);
const upTo = (max: number): number => 1 + Math.floor(random() * max);

/** Texts after `=`: every code, and numbers up to the largest limit. */
const VALUES = [
  ...INJECTED_CODES,
  ...Array.from({ length: 50 }, () => String(upTo(100))),
  ...Array.from({ length: 50 }, () => String(upTo(600_000))),
  ...Array.from({ length: 50 }, () => String(upTo(31_622_400_000))),
];
/** Every effect; one with a value has all of the values that it takes. */
const SAMPLES = Object.entries(EFFECTS).flatMap(([kind, row]) => {
  if (!("value" in row)) return [{ kind } as Effect];
  const { member, read } = row.value;
  const values = VALUES.map((text) => read(text)).filter((value) => value !== undefined);
  return values.map((value) => ({ kind, [member]: value }) as unknown as Effect);
});

describe("the text of an effect", () => {
  it("is read as what it was written from", () => {
    for (const effect of SAMPLES) expect(readEffect(writeEffect(effect))).toEqual(effect);
  });

  it("is refused for any other value", () => {
    const others = [
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
      "duplicate reorder",
      "duplicate,reorder",
      "hold\nhold",
      "toString",
      "__proto__",
      "constructor=1",
    ];
    for (const text of others) expect([text, readEffect(text)]).toEqual([text, undefined]);
  });

  it("is never read as another, whatever is changed in it", () => {
    for (let round = 0; round < 5000; round++) {
      const text = writeEffect(SAMPLES[upTo(SAMPLES.length) - 1] as Effect);
      const place = Math.floor(random() * (text.length + 1));
      const letter = String.fromCharCode(upTo(255));
      const changed = text.slice(0, place) + letter + text.slice(place + upTo(2) - 1);
      const read = readEffect(changed);
      if (read) expect(writeEffect(read)).toBe(changed.trim());
    }
  });

  it("fits calls or webhooks, and the sentence that lists the choices names each that fits", () => {
    for (const effect of SAMPLES)
      for (const place of FAULT_PLACES)
        expect([
          effect.kind,
          place,
          new RegExp(`\\b${effect.kind}\\b`).test(english(effectRule("effect", place))),
        ]).toEqual([effect.kind, place, isEffectOn(effect, place)]);
  });
});

function fault(members: Partial<Fault> = {}): Fault {
  return {
    id: "flt_1",
    integration: null,
    ordinal: 1,
    on: "payouts.create",
    effect: { kind: "hold" },
    used: 0,
    drawn: 0,
    ...members,
  };
}

function usesOf(faults: readonly Fault[], chance = () => 0): FaultUses {
  return new FaultUses({ faults: { all: () => faults } }, chance);
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

  it("draws its chance with the next counter each time", () => {
    const counters: number[] = [];
    const uses = new FaultUses(
      { faults: { all: () => [fault({ id: "a", probability: 0.5 })] } },
      (_id, counter) => counters.push(counter),
    );
    for (let call = 0; call < 3; call++) take(uses);
    expect(counters).toEqual([0, 1, 2]);
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

  it("with a probability acts as often as that, the same for the same seed", () => {
    const draw = (seed: string, probability: number): readonly boolean[] => {
      const { gateway, records } = createGateway({ seed });
      void gateway.faults.create(null, {
        on: "payins.simulate",
        effect: { kind: "error", code: "EXTERNAL_ERROR" },
        probability,
      });
      const call = { operation: "payins.simulate", integration: "shop", key: null } as const;
      return Array.from({ length: 400 }, () => {
        const suffered = gateway.faults.take({ ...call, request: "{}" });
        const change = suffered?.uses?.change;
        if (change) records.apply(change);
        return suffered !== undefined;
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

describe("a webhook that trades places", () => {
  it("still does so after a restart, and leaves right behind the other", async () => {
    const first = createGateway();
    await first.gateway.faults.create("shop", {
      on: "webhook",
      effect: { kind: "reorder" },
      times: 1,
    });
    const pay = async ({ gateway }: typeof first): Promise<string> => {
      const { record } = await gateway.createPayin(payinCall());
      await gateway.movePayin("shop", record.id, "pay");
      gateway.catchUp.run();
      return record.id;
    };
    const waiting = await pay(first);
    expect(first.started).toEqual([]);

    const second = createGateway({ store: first.store });
    const next = await pay(second);
    const last = await pay(second);
    expect(second.started.map(({ transactionId }) => transactionId)).toEqual([next, waiting, last]);
    expect(second.started.map((one) => one.fault?.kind)).toEqual([undefined, "reorder", undefined]);
  });
});

describe("held calls", () => {
  it("get their turns in the given order, each committed before the next, the rest in the order of arrival", async () => {
    const held = new HeldCalls();
    const begun: string[] = [];
    const slow = deferred();
    const calls = ["a", "b", "c", "d"].map((name) => held.hold("flt", name));
    for (const call of calls)
      void call.turn.then(async () => {
        begun.push(`${call.key} begins`);
        await turns(1);
        begun.push(`${call.key} is decided`);
        call.decided(slow.promise);
      });
    expect(held.keysOf("flt")).toEqual(["a", "b", "c", "d"]);
    const released = held.release("flt", [2, "b"]);
    expect(held.keysOf("flt")).toEqual([]);
    await turns(10);
    const order = ["c", "b", "a", "d"];
    expect(begun).toEqual(order.flatMap((key) => [`${key} begins`, `${key} is decided`]));
    expect(watch(released).isSettled).toBe(false);
    slow.resolve();
    await released;
  });

  it("are all released even if one of them is dropped or fails", async () => {
    const held = new HeldCalls();
    const begun: unknown[] = [];
    const [one, two, three] = ["a", "b", "c"].map((name) => held.hold("flt", name));
    void one?.turn.then(() => {
      begun.push(one.key);
      two?.drop(new Error("gone"));
      one.decided(Promise.reject(new Error("refused")));
    });
    void two?.turn.catch(({ message }: Error) => begun.push(message));
    void three?.turn.then(() => {
      begun.push(three.key);
      three.decided(Promise.resolve());
    });
    await held.release("flt");
    expect(begun).toEqual(["a", "gone", "c"]);
  });

  it("stay if the order contains an unknown name", async () => {
    const held = new HeldCalls();
    held.hold("flt", "a");
    for (const name of [1, -1, "b"])
      await expect(held.release("flt", [name])).rejects.toMatchObject({
        fields: [{ field: "order", code: "INVALID_VALUE" }],
      });
    expect(held.keysOf("flt")).toEqual(["a"]);
  });

  it("are forgotten when they are dropped", async () => {
    const held = new HeldCalls();
    const call = held.hold("flt", "a");
    call.drop(new Error("gone"));
    await expect(call.turn).rejects.toThrow("gone");
    await held.release("flt");
    expect(held.keysOf("flt")).toEqual([]);
  });
});

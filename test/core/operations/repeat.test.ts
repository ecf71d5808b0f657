import { describe, expect, it } from "vitest";
import { AssumptionTrace } from "../../../src/core/assumptions/trace.ts";
import { type UsedKey, repeatOf } from "../../../src/core/operations/repeat.ts";
import { isSameJson } from "../../../src/wire/json.ts";
import { assume, randomFrom, START_MS } from "../../support/core.ts";
import { inWords } from "../../support/words.ts";

describe("two requests", () => {
  it.each([
    ["themselves", '{"a":[1,{"b":null}]}', '{"a":[1,{"b":null}]}'],
    ["members in another order", '{"a":1,"b":2}', '{"b":2,"a":1}'],
    [
      "members of members in another order",
      '{"a":{"b":1,"c":[{"d":1,"e":2}]}}',
      '{"a":{"c":[{"e":2,"d":1}],"b":1}}',
    ],
    ["numbers written in another way", '{"value":10.5}', '{"value":10.50}'],
    ["numbers with an exponent", '{"value":1050}', '{"value":1.05e3}'],
    ["texts written in another way", '{"name":"Jos\\u00e9 \\/"}', '{"name":"José /"}'],
    ["names written in another way", '{"n\\u0061me":1}', '{"name":1}'],
    ["blanks between members", '{"a":[1,2]}', ' { "a" : [ 1 , 2 ] } '],
    ["a member that is said twice", '{"a":1,"a":2}', '{"a":2}'],
    [
      "a __proto__ member in another place",
      '{"__proto__":{"a":1},"b":2}',
      '{"b":2,"__proto__":{"a":1}}',
    ],
    ["names that are numbers", '{"10":1,"9":2,"b":3}', '{"b":3,"9":2,"10":1}'],
  ])("are the same with %s", (_title, one, other) => {
    expect([isSameJson(one, other), isSameJson(other, one)]).toEqual([true, true]);
  });

  it.each([
    ["another number", '{"value":10.5}', '{"value":10.51}'],
    ["numbers of a whole", '{"value":1}', '{"value":1.0000000000000002}'],
    ["a number and its text", '{"value":10.5}', '{"value":"10.5"}'],
    ["null and its text", '{"a":null}', '{"a":"null"}'],
    ["true and its text", '{"a":true}', '{"a":"true"}'],
    ["true and 1", '{"a":true}', '{"a":1}'],
    ["null and nothing", '{"a":null}', "{}"],
    ["arrays in another order", '{"a":[1,2]}', '{"a":[2,1]}'],
    ["an array and its parts", '{"a":[[1],2]}', '{"a":[1,2]}'],
    ["an array and an object", '{"a":["x"]}', '{"a":{"0":"x"}}'],
    ["empty containers", '{"a":[]}', '{"a":{}}'],
    ["nothing and an empty text", '{"a":[]}', '{"a":[""]}'],
    ["texts that look like parts", '{"a":["1,2"]}', '{"a":["1","2"]}'],
    ["texts that look like members", '{"a":"1","b":"2"}', '{"a":"1,1:b=s1:2"}'],
    ["names that look like members", '{"a":1,"b":2}', '{"a=1,1:b":2}'],
    ["names that look like texts", '{"a:b":1}', '{"a":{"b":1}}'],
    ["quotes", '{"a":"\\"b"}', '{"a":"b\\""}'],
    ["blanks within a text", '{"a":"b c"}', '{"a":"b  c"}'],
    ["capitals", '{"a":"B"}', '{"a":"b"}'],
    ["composed and decomposed letters", '{"a":"\\u00e9"}', '{"a":"e\\u0301"}'],
    ["a __proto__ member", '{"__proto__":{"a":1}}', "{}"],
    ["what a __proto__ member holds", '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
    ["a constructor member", '{"constructor":1}', "{}"],
    ["an undocumented member", '{"value":1,"extra":1}', '{"value":1}'],
  ])("differ with %s", (_title, one, other) => {
    expect([isSameJson(one, other), isSameJson(other, one)]).toEqual([false, false]);
  });

  it("are the same if and only if only their members are shuffled: 300 random ones", () => {
    const random = randomFrom(13);
    const values = Array.from({ length: 300 }, () => randomValue(random, 3));
    const texts = values.map((value) => JSON.stringify(value));
    const shuffledTexts = values.map((value) => JSON.stringify(shuffled(value, random)));
    const known = values.map((value) => JSON.stringify(sorted(value)));
    const wrong: string[][] = [];
    for (const [here, one] of texts.entries())
      for (const [there, other] of shuffledTexts.entries())
        if (isSameJson(one, other) !== (known[here] === known[there])) wrong.push([one, other]);

    expect(wrong).toEqual([]);
    expect(new Set(known).size).toBeGreaterThan(100);
    expect(texts.filter((text, index) => text !== shuffledTexts[index]).length).toBeGreaterThan(5);
  });
});

describe("a key that was taken", () => {
  const OTHER = { request: '{"value":11}' };

  it.each([
    ["same request", "payins.create", {}, "idempotency.repeat", { replay: true, reject: false }],
    [
      "other request",
      "payins.create",
      OTHER,
      "idempotency.mismatch",
      { replay: true, reject: false },
    ],
    [
      "same body, other operation",
      "payouts.create",
      {},
      "idempotency.mismatch",
      { replay: false, reject: false },
    ],
    [
      "other body, other operation",
      "payouts.create",
      OTHER,
      "idempotency.mismatch",
      { replay: false, reject: false },
    ],
  ] as const)("decides by %s, %s", (_title, operation, change, assumption, isRepeated) => {
    for (const choice of ["replay", "reject"] as const) {
      const decide = (): unknown =>
        repeatOf(
          taken(),
          operation,
          { ...call(), ...change },
          new AssumptionTrace(assume({ [assumption]: choice })),
          START_MS,
        );

      if (isRepeated[choice]) expect(decide()).toEqual(taken());
      else expect(decide).toThrow(expect.objectContaining({ code: "DUPLICATED_VALUE" }));
    }
  });

  it.each([
    ["the same request", {}, /by this request before/],
    ["another request", OTHER, /for another request/],
  ])("names the header and the reason where it refuses %s", (_title, change, reason) => {
    const assumptions = new AssumptionTrace(assume({ "idempotency.repeat": "reject" }));

    expect(() =>
      repeatOf(taken(), "payins.create", { ...call(), ...change }, assumptions, START_MS),
    ).toThrow(
      expect.objectContaining({
        code: "DUPLICATED_VALUE",
        text: inWords({ en: expect.stringMatching(reason) }),
        fields: [expect.objectContaining({ field: "x-idempotency-key", code: "DUPLICATED_VALUE" })],
      }),
    );
  });

  it.each([1, 60, 86_400])(
    "is free again %i seconds after it was taken, to the millisecond",
    (seconds) => {
      const assumptions = new AssumptionTrace(assume({ "idempotency.retention_seconds": seconds }));
      const at = (nowMs: number) => repeatOf(taken(), "payins.create", call(), assumptions, nowMs);

      expect(at(START_MS + seconds * 1000 - 1)).toEqual(taken());
      expect(at(START_MS + seconds * 1000)).toBeUndefined();
    },
  );

  it("is free for another request too, once its time has passed", () => {
    const nowMs = START_MS + 86_400_000;

    expect(
      repeatOf(
        taken(),
        "payouts.create",
        { ...call(), ...OTHER },
        new AssumptionTrace(assume()),
        nowMs,
      ),
    ).toBeUndefined();
  });
});

function call() {
  return { integration: "shop", key: "order-1", request: '{"value":10.5,"name":"Maria"}' };
}

function taken(): UsedKey {
  return {
    operation: "payins.create",
    request: call().request,
    recordId: "a record",
    takenAtMs: START_MS,
  };
}

/** Small values of few letters, so that many are nearly the same. */
function randomValue(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 7 : 5));
  const size = Math.floor(random() * 3);
  if (kind === 0) return null;
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return Math.floor(random() * 4) / 2;
  if (kind <= 4) return randomText(random);
  const parts = Array.from({ length: size }, () => randomValue(random, depth - 1));
  return kind === 5 ? parts : Object.fromEntries(parts.map((part) => [randomText(random), part]));
}

function randomText(random: () => number): string {
  const letters = 'a1,:=s{}[]"';
  return Array.from(
    { length: Math.floor(random() * 4) },
    () => letters[Math.floor(random() * letters.length)],
  ).join("");
}

function shuffled(value: unknown, random: () => number): unknown {
  return rebuilt(value, (entries) =>
    entries
      .map((entry) => ({ entry, place: random() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ entry }) => entry),
  );
}

function sorted(value: unknown): unknown {
  return rebuilt(value, (entries) => entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The value with each object's members in the order that `arrange` gives them; a Map, since numbers lead in objects. */
function rebuilt(
  value: unknown,
  arrange: (entries: [string, unknown][]) => [string, unknown][],
): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => rebuilt(part, arrange));
  const entries = Object.entries(value).map(([name, part]): [string, unknown] => [
    name,
    rebuilt(part, arrange),
  ]);
  return Object.fromEntries(arrange(entries));
}

import { describe, expect, it } from "vitest";
import { Webhook } from "standardwebhooks";
import { headersOf, OLD_S, signBody } from "../../src/play/hand-made-webhook.ts";
import { writeUnusually } from "../../src/play/unusual-json.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
const DATA = {
  id: "1",
  value: 10.5,
  name: "José / 😀",
  items: [1, null, true, 2.75, -3.5],
  of: {},
};

const EVENT = {
  id: "evt_1",
  type: "payin.paid",
  created_at: "2026-11-21T12:00:00.000Z",
  data: DATA,
};

/** What a handler with the standard's own library says. */
function verdict(body: string, ageSeconds?: number): string {
  const signed = signBody(EVENT.id, body, SECRET, ageSeconds);
  try {
    new Webhook(SECRET).verify(body, headersOf(signed));
    return "valid";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("a webhook made by hand", () => {
  it("is valid for a handler, unless it is old", () => {
    expect(verdict(JSON.stringify(EVENT))).toBe("valid");
    expect(OLD_S).toBe(600);
    expect(verdict(JSON.stringify(EVENT), OLD_S)).toBe("Message timestamp too old");
  });

  it("has the same meaning when it is written unusually, other bytes, and a valid signature", () => {
    const unusual = writeUnusually(EVENT);
    expect(JSON.parse(unusual)).toEqual(EVENT);
    expect(JSON.stringify(JSON.parse(unusual))).not.toBe(unusual);
    expect(verdict(unusual)).toBe("valid");
  });
});

describe("unusual JSON", () => {
  it.each<[unknown, string]>([
    [10.5, "10.50"],
    [-3.25, "-3.250"],
    [10, "10"],
    [1e-7, "1e-7"],
    ["a/b.c", String.raw`"a\u002fb\u002ec"`],
    ["é\n", String.raw`"\u00e9\n"`],
    ["1.5", String.raw`"1\u002e5"`],
    [null, "null"],
    [true, "true"],
    [[1.5, []], "[ 1.50 , [  ] ]"],
    [{ a: 1, b: { c: 2 } }, '{ "b" : { "c" : 2 } , "a" : 1 }'],
  ])("of %o is %s", (value, text) => {
    expect(writeUnusually(value)).toBe(text);
    expect(JSON.parse(text)).toEqual(value);
  });
});

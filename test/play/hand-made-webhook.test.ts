import { describe, expect, it } from "vitest";
import { Webhook } from "standardwebhooks";
import {
  OLD_S,
  SIGNATURES,
  type SignatureKind,
  SPELLINGS,
  toSigned,
} from "../../src/play/hand-made-webhook.ts";
import { writeUnusually } from "../../src/play/unusual-json.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
const DATA = {
  id: "1",
  value: 10.5,
  name: "José / 😀",
  items: [1, null, true, 2.75, -3.5],
  of: {},
};

function make(signature: SignatureKind, spelling: "usual" | "unusual" = "usual") {
  return toSigned(
    { id: "evt_1", type: "payin.paid", created_at: "2026-11-21T12:00:00.000Z", data: DATA },
    SECRET,
    { signature, spelling },
  );
}

/** What a handler with the standard's own library says. */
function verdict({ body, headers }: ReturnType<typeof make>): string {
  try {
    new Webhook(SECRET).verify(body, headers);
    return "valid";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("a webhook made by hand", () => {
  it.each([
    ["valid", "valid"],
    ["other_bytes", "No matching signature found"],
    ["garbage", "No matching signature found"],
    ["old", "Message timestamp too old"],
  ] as const)("with the signature %s is for a handler: %s", (signature, expected) => {
    expect(verdict(make(signature))).toBe(expected);
  });

  it("can be made in each listed way", () => {
    expect(SIGNATURES).toEqual(["valid", "other_bytes", "garbage", "old"]);
    expect(SPELLINGS).toEqual(["usual", "unusual"]);
    expect(OLD_S).toBe(600);
  });

  it("has the same meaning when it is written unusually, other bytes, and a valid signature", () => {
    const [usual, unusual] = [make("valid"), make("valid", "unusual")];
    expect(JSON.parse(unusual.body)).toEqual(JSON.parse(usual.body));
    expect(JSON.parse(usual.body)).toEqual({
      id: "evt_1",
      type: "payin.paid",
      created_at: "2026-11-21T12:00:00.000Z",
      data: DATA,
    });
    expect(JSON.stringify(JSON.parse(unusual.body))).not.toBe(unusual.body);
    expect(verdict(unusual)).toBe("valid");
    expect(unusual.headers["content-type"]).toBe("application/json");
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

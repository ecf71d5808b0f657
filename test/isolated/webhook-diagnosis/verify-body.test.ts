import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { deliveriesOf, type DeliverySource } from "../../../src/core/records/delivery.ts";
import { toIso } from "../../../src/wire/timestamp.ts";
import { sign } from "../../../src/webhook-diagnosis/signature.ts";
import { assume, payin, payout, randomFrom, START_MS } from "../../support/core.ts";
import { SECRET } from "../../support/vectors.ts";
import { BODY, ID, SIGNED_AT, captured, useFakeDate, verify, withoutPrefix } from "./verify.ts";
import { inWords } from "../../support/words.ts";

useFakeDate();

describe("a body that was written anew", { timeout: 60_000 }, () => {
  it.each([
    ["with blanks", JSON.stringify(JSON.parse(BODY), null, 2)],
    ["with a blank behind commas and colons", BODY.replaceAll(/([,:])(?=["{\d])/g, "$1 ")],
    ["with longer numbers", BODY.replace("10.5", "10.50").replace(":10,", ":10.0,")],
    ["with other numbers", BODY.replace("10.5", "1.05e1").replace(":10,", ":1E+1,")],
    ["with escapes", BODY.replaceAll(/[^ -~]/g, (unit) => escapeUnit(unit))],
    ["with escaped slashes", BODY.replaceAll("/", String.raw`\/`)],
    ["with all of these", `\ufeff${spoil(BODY)}\r\n`],
    ["with a line end behind it", `${BODY}\n`],
    ["with a CRLF behind it", `${BODY}\r\n`],
    ["with blanks around it", `\n  ${BODY}\n\n`],
    ["with a byte order mark", `\ufeff${BODY}`],
    ["as a string inside JSON", JSON.stringify(BODY)],
    ["as UTF-8 that was read as Latin-1", Buffer.from(BODY).toString("latin1")],
  ])("is recognized %s", (_title, body) => {
    expect(body).not.toBe(BODY);
    expect(verify({ ...captured(), body: Buffer.from(body) })).toMatchObject({
      isValid: false,
      mistake: "body_changed",
    });
  });

  it.each([
    ["without the line end behind it", "{}\n", "{}"],
    ["with other line ends", '{\n "a": 1,\n "b": 2\n}\n', '{\r\n "a": 1,\r\n "b": 2\r\n}\r\n'],
    ["behind a byte order mark alone", '{ "a":1 }\n', '\ufeff{ "a":1 }\n'],
    ["between blanks, in its sender's own way", '{ "a":1 }', '\ufeff\n{ "a":1 }\r\n'],
    ["without the blanks of its sender", '{"a": [1, 2], "b": {}}', '{"a":[1,2],"b":{}}'],
  ])("is recognized %s", (_title, sent, body) => {
    const { headers } = captured({ signature: sign(SECRET, ID, SIGNED_AT, sent) });
    expect(verify({ headers, body: Buffer.from(body) })).toMatchObject({
      mistake: "body_changed",
    });
  });

  // {"name": "José", "url": "http://a/"} as each of them writes it.
  const WRITTEN = {
    "JSON.stringify": String.raw`{"name":"José","url":"http://a/"}`,
    "Python's json.dumps": String.raw`{"name": "Jos\u00e9", "url": "http://a/"}`,
    "ensure_ascii=False": String.raw`{"name": "José", "url": "http://a/"}`,
    "PHP's json_encode": String.raw`{"name":"Jos\u00e9","url":"http:\/\/a\/"}`,
    jq: '{\n  "name": "José",\n  "url": "http://a/"\n}\n',
  };
  it.each(Object.entries(WRITTEN))("is recognized however it was sent: by %s", (writer, sent) => {
    const { headers } = captured({ signature: sign(SECRET, ID, SIGNED_AT, sent) });
    expect(verify({ headers, body: Buffer.from(sent) })).toMatchObject({ isValid: true });
    for (const [other, body] of Object.entries(WRITTEN)) {
      if (other === writer) continue;
      expect(verify({ headers, body: Buffer.from(body) })).toMatchObject({
        mistake: "body_changed",
        text: inWords({ en: expect.stringMatching(`serialized again .*${other}`) }),
      });
    }
  });

  it.each(webhooks())("is recognized with its members in another order: $type", ({ body }) => {
    const random = randomFrom(3);
    const { headers } = captured({ signature: sign(SECRET, ID, SIGNED_AT, body) });
    for (const compare of [
      (one: string, other: string) => (one < other ? -1 : 1),
      (one: string, other: string) => (one > other ? -1 : 1),
      () => random() - 0.5,
    ]) {
      const reordered = JSON.stringify(sortMembers(JSON.parse(body), compare), null, 2);
      expect(verify({ headers, body: Buffer.from(reordered) })).toMatchObject({
        mistake: "body_changed",
        text: inWords({ en: expect.stringContaining("order") }),
      });
    }
  });

  it("is recognized from a parsed body, even if that gives the same bytes", () => {
    expect(verify({ ...captured(), isParsed: true })).toMatchObject({
      mistake: "body_changed",
      text: inWords({ en: expect.stringContaining("holds only the parsed body") }),
    });
  });

  it("is not taken for one whose content was changed", () => {
    for (const changed of [
      BODY.replace("10.5", "10.51"),
      BODY.replace("José", "Jose"),
      BODY.replace(',"count":10', ""),
      BODY.slice(0, -1),
    ])
      expect(verify({ ...captured(), body: Buffer.from(changed) })).toMatchObject({
        mistake: "wrong_secret",
      });
  });

  it("is looked for in any body, however strange", () => {
    for (const body of [
      "[".repeat(100_000),
      `${"[".repeat(9000)}${"]".repeat(9000)}`,
      "null",
      '{"__proto__":{"id":1},"data":null}',
      "\0",
    ])
      expect(verify({ ...captured(), body: Buffer.from(body) })).toMatchObject({ isValid: false });
  });
});

describe("a body that is gone", () => {
  it.each(["", " \n", "{}", "null", "undefined", "[object Object]"])(
    "is recognized: %j",
    (body) => {
      expect(verify({ ...captured(), body: Buffer.from(body) })).toMatchObject({
        isValid: false,
        mistake: "empty_body",
      });
    },
  );
});

describe("a signature over something else", () => {
  it.each([
    ["the body alone", BODY],
    ["timestamp.body", `${SIGNED_AT}.${BODY}`],
    ["timestamp and body without a dot", `${SIGNED_AT}${BODY}`],
    ["id.body", `${ID}.${BODY}`],
  ])("is recognized: %s", (what, content) => {
    const key = Buffer.from(withoutPrefix(SECRET), "base64");
    const signature = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
    expect(verify(captured({ signature }))).toMatchObject({
      mistake: "wrong_content",
      text: inWords({ en: expect.stringContaining(`over ${what},`) }),
    });
  });
});

/** A webhook of each kind of record, with every member there is. */
function webhooks() {
  const source: DeliverySource = {
    assumptions: assume(),
    configuration: undefined,
    eventId: () => ID,
    nowMs: START_MS,
  };
  const final = { settled_at: toIso(START_MS), end_to_end_id: "E123" };
  return [
    ...deliveriesOf(described(payin({ ...final, status: "paid" })), source),
    ...deliveriesOf(payin({ status: "completed" }), source),
    ...deliveriesOf(described(payout({ ...final, status: "completed" })), source),
    ...deliveriesOf(payout({ status: "canceled" }), source),
  ];
}

/** The row with a description where the gateway's records have it. */
function described<Row extends { readonly record: object }>(row: Row): Row {
  const members = Object.entries(row.record);
  const place = members.findIndex(([name]) => name === "value") + 1;
  const record = Object.fromEntries(members.toSpliced(place, 0, ["description", "Pão de queijo"]));
  return { ...row, record };
}

function sortMembers(value: unknown, compare: (one: string, other: string) => number): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => compare(one, other))
      .map(([name, member]) => [name, sortMembers(member, compare)]),
  );
}

function spoil(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 4)
    .replaceAll("\n", "\r\n")
    .replaceAll("/", String.raw`\/`)
    .replaceAll(/[^ -~\r\n]/g, (unit) => escapeUnit(unit).toUpperCase().replace("\\U", "\\u"));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

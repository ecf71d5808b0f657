import { describe, expect, it } from "vitest";
import { type Lists, Records, TABLE_NAMES as LISTS } from "../../src/core/state/records.ts";
import type { Header } from "../../src/store/text/schema.ts";
import {
  NotAState,
  readHeader,
  readStateText,
  writeStateText,
} from "../../src/store/text/state-text.ts";
import { attempt, delivery, payin, payout, randomFrom } from "../support/core.ts";

const HEADER: Header = {
  format: "pix-sandbox",
  version: 3,
  sequence: 12,
};
const NOTHING = Object.fromEntries(LISTS.map((name) => [name, []])) as unknown as Lists;
/** A row of everything, with texts that look like the layout itself. */
const SOME: Required<Lists> = {
  clock: [{ mode: "real", offsetMs: 5 }],
  identity: [{ seed: 'a "seed"\n', secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }],
  faultOrdinals: [{ integration: null, ordinal: 1 }],
  webhookConfigurations: [
    { integration: "shop", webhook_url: "http://127.0.0.1:3000/", events: ["payment.received"] },
  ],
  changedAssumptions: [{ integration: null, changes: { "payout.rival": "allow" } }],
  transactions: [
    payin({ id: "1", description: '],\n"payouts":[\n{}' }),
    payin({ id: "2", description: "\u2028 \ud800 \0 😀 é" }),
    payin({ id: "__proto__", key: "__proto__" }),
    payout({ id: "3", receiver_name: "]}" }),
  ],
  deliveries: [
    delivery({ body: '{"a":[\n]}', attempts: [attempt({ response: "\r\n" }), attempt()] }),
  ],
  faults: [
    {
      id: "flt_1",
      integration: null,
      ordinal: 1,
      on: "webhook",
      effect: "delay_ms=500",
      match: { description: "]," },
      times: 2,
      probability: 0.5,
      used: 1,
      drawn: 3,
    },
  ],
};
const ALL = { ...HEADER, ...SOME };

describe("the text of a state", { timeout: 60_000 }, () => {
  it.each([
    ["a row of everything", SOME],
    ["nothing", NOTHING],
    ["many rows", { ...NOTHING, ...manyPayins(700) }],
  ])(
    "is JSON with a record a line, and is read as it was, however its bytes arrive: %s",
    async (_title, lists) => {
      const text = textOf(lists);
      expect(JSON.parse(text)).toEqual(plain({ ...HEADER, ...lists }));
      const lines = new Set(text.split("\n").map((line) => line.replace(/,$/, "")));
      for (const row of Object.values(lists).flat()) expect(lines).toContain(JSON.stringify(row));
      const random = randomFrom(3);
      for (const nextSize of [() => 7, () => 4096, () => text.length, () => 1 + random() * 900])
        expect(await read(Buffer.from(text), nextSize)).toEqual({
          header: HEADER,
          lists: plain(lists),
        });
      expect(await readHeader(pieces(Buffer.from(text), () => 7))).toEqual(HEADER);
    },
  );

  it("comes in pieces of a bounded size", () => {
    const large = payin({ id: "large", request: "x".repeat(1 << 20) });
    const lists = { ...NOTHING, transactions: [...(manyPayins(3000).transactions ?? []), large] };
    const sizes = Array.from(writeStateText(HEADER, lists), ({ length }) => length);
    expect(sizes.length).toBeGreaterThan(10);
    expect(sizes.filter((size) => size > 1 << 17)).toEqual([expect.any(Number)]);
    expect(Math.max(...sizes)).toBeLessThan((1 << 20) + (1 << 17));
  });

  it.each([
    ["on one line", JSON.stringify(ALL)],
    [
      "indented, with line ends as on Windows",
      JSON.stringify(ALL, null, 2).replaceAll("\n", "\r\n"),
    ],
    ["a record a line, with line ends as on Windows", textOf(SOME).replaceAll("\n", "\r\n")],
    ["without the last line feed", textOf(SOME).trimEnd()],
    ["with blank lines around it", `\n\n${JSON.stringify(ALL)}\n\n`],
    [
      "with its members the other way round",
      JSON.stringify(Object.fromEntries(Object.entries(ALL).toReversed())),
    ],
  ])("is read with another layout too: %s", async (_title, text) => {
    expect(await read(Buffer.from(text))).toEqual({ header: HEADER, lists: plain(SOME) });
  });

  it.each<[string, string | Buffer, string]>([
    ["empty", "", "it is not valid JSON"],
    ["no JSON", "version: 1\n", "it is not valid JSON"],
    ["null", "null", '"format" is missing or has an invalid value'],
    [
      "foreign JSON",
      '{"name":"my-shop",\n"version":1}\n',
      '"format" is missing or has an invalid value',
    ],
    [
      "of another version",
      textOf(SOME).replace('"version":3', '"version":2'),
      'its "version" is not 3',
    ],
    [
      "of another version, on one line",
      JSON.stringify({ ...ALL, version: 1 }),
      'its "version" is not 3',
    ],
    [
      "without a list",
      JSON.stringify({ ...ALL, transactions: undefined }),
      '"transactions" is not a list',
    ],
    ["behind a byte order mark", `\ufeff${textOf(SOME)}`, "it is not valid JSON"],
    ["in UTF-16", Buffer.from(textOf(SOME), "utf16le"), "it is not valid JSON"],
  ])("is refused if it is %s", async (_title, text, reason) => {
    const reading = read(Buffer.from(text));
    await expect(reading).rejects.toThrow(NotAState);
    await expect(reading).rejects.toThrow(reason);
  });

  it.each<[string, string | Buffer, number, string]>([
    [
      "a record that is none",
      textOf(SOME).replace('"id":"3"', '"id":3'),
      24,
      '"transactions.record.id" is',
    ],
    ["a record without its end", textOf(SOME).replace('"id":"3"', '"id":"3'), 24, "not valid JSON"],
    ["a list that is missing", textOf(SOME).replace('"deliveries":[\n', ""), 26, "was expected"],
    ["a line of something else", textOf(SOME).replace("],\n", "],\nelse\n"), 5, "was expected"],
    ["lists behind the last one", `${textOf(SOME)}"faults":[\n]}\n`, 29, "was expected"],
    ["a byte that is no UTF-8", put(textOf(SOME), "Maria", 0xff), 21, "not valid JSON"],
    ["a NUL", put(textOf(SOME), "Maria", 0), 21, "not valid JSON"],
    ["an early end", textOf(SOME).slice(0, -3), 27, "the file ends too early"],
  ])("is refused with the line for %s", async (_title, text, line, reason) => {
    const reading = read(Buffer.from(text));
    await expect(reading).rejects.toThrow(NotAState);
    await expect(reading).rejects.toThrow(`line ${line} is damaged: `);
    await expect(reading).rejects.toThrow(reason);
  });
});

function manyPayins(count: number): Lists {
  const transactions = Array.from({ length: count }, (_, index) =>
    payin({ id: `in ${index}`, ordinal: index + 1, description: "é".repeat(index % 140) }),
  );
  return { transactions };
}

function textOf(lists: Lists): string {
  return Array.from(writeStateText(HEADER, lists), String).join("");
}

/** What JSON makes of it: members that are undefined are none. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** The bytes with another one inside a word. */
function put(text: string, word: string, byte: number): Buffer {
  const bytes = Buffer.from(text);
  const at = bytes.indexOf(word) + 2;
  return Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at)]);
}

async function* pieces(bytes: Buffer, nextSize: () => number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const end = start + Math.floor(nextSize());
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function read(bytes: Buffer, nextSize = () => 4096) {
  const records = new Records();
  const { header, bytes: size } = await readStateText(pieces(bytes, nextSize), records);
  expect(size).toBe(bytes.length);
  return { header, lists: records.listsOf(null) };
}

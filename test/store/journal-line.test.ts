import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/state/records.ts";
import type { JournalEntry } from "../../src/core/state/ports.ts";
import { JournalLines, readJournalLine } from "../../src/store/format/journal-line.ts";
import { attempt, delivery, payin, payout } from "../support/core.ts";
import { inWords } from "../support/words.ts";
import { english } from "../../src/text/languages.ts";

const HOSTILE: readonly (readonly [string, string])[] = [
  ["nothing", ""],
  ["quotes, backslashes and controls", '"\\/\b\f\n\r\t\u0001\u001f\u007f'],
  ["line ends of every kind", "\n \r\n \r \u0085 \u2028 \u2029"],
  ["a NUL", "before\0after"],
  ["emoji", "😀 👩‍👩‍👧‍👦 🇧🇷"],
  ["letters of several bytes", "Açaí ß 漢字 𝒳"],
  ["a high surrogate alone", "\ud83d"],
  ["a low surrogate alone", "\ude00 end"],
  ["surrogates the wrong way round", "\ude00\ud83d"],
  ["a byte order mark", "\ufeffbegin"],
  ["what turns text around", "\u202e gnp.exe \u2066"],
  ["a line of a journal", '{"crc32":"00000000","sequence":1,"lastEventNumber":0,"change":{}}\n'],
  ["what ends a list of the state file", '\n]}\n{"format":"pix-sandbox"'],
  ["the name of a prototype", "__proto__"],
  ["1 MiB of ASCII", "x".repeat(1 << 20)],
  ["1 MiB of emoji", "😀".repeat(1 << 18)],
  ["1 MiB of what takes three bytes", "\u2028".repeat(350_000)],
  ["many surrogates alone", "\ud800".repeat(50_000)],
];

describe("a line of the journal", { timeout: 60_000 }, () => {
  it.each(HOSTILE)("reads what was written if a text contains %s", (_title, text) => {
    const told: JournalEntry = {
      sequence: 7,
      lastEventNumber: 12,
      change: {
        payins: [payin({ description: text, idempotencyKey: text, request: text, id: text })],
        payouts: [payout({ receiverName: text, pixKey: text })],
        deliveries: [delivery({ body: text, attempts: [attempt({ response: text })] })],
        changedAssumptions: [{ integration: text, changes: {} }],
      },
    };
    const line = lineOf(told);

    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(Buffer.from(line.toString()).equals(line)).toBe(true);
    expectSame(readJournalLine(line.subarray(0, -1)), told);
  });

  it("reads what was written of every record, and of none", () => {
    const everything: Change = {
      payins: [payin(), payin({ id: "2", status: "paid", settledAtMs: 1, endToEndId: "E" })],
      payouts: [payout({ status: "canceled" })],
      deliveries: [delivery({ attempts: [attempt({ status: null, error: "ECONNRESET" })] })],
      webhookConfigurations: [
        { integration: "shop", webhookUrl: "https://example.com/", events: ["payment.received"] },
      ],
      changedAssumptions: [{ integration: null, changes: { "error.language": "pt" } }],
      clock: { mode: "frozen", nowMs: -1.5 },
      identity: { seed: "", secret: "whsec_c2VjcmV0" },
    };
    for (const change of [everything, {}, { payins: [] }]) {
      const told = { sequence: Number.MAX_SAFE_INTEGER, lastEventNumber: 0, change };
      expectSame(readJournalLine(lineOf(told).subarray(0, -1)), told);
    }
  });

  it("reads a member named __proto__ as a member", () => {
    const changes = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as object;
    const change = { changedAssumptions: [{ integration: "__proto__", changes }] } as Change;
    const read = readJournalLine(
      lineOf({ sequence: 1, lastEventNumber: 0, change }).subarray(0, -1),
    );

    if ("damage" in read) throw new Error(english(read.damage));
    const [row] = read.change.changedAssumptions ?? [];
    expect(JSON.stringify(row?.changes)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
    expect(Object.getPrototypeOf(row?.changes)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("carries the checksum of all that follows it, in eight lower-case digits", () => {
    const text = lineOf({ sequence: 1, lastEventNumber: 0, change: {} }).toString();
    const [, digits, checked = ""] = /^\{"crc32":"([0-9a-f]{8})",(.*)\n$/.exec(text) ?? [];

    expect(checked).toBe('"sequence":1,"lastEventNumber":0,"change":{}}');
    expect(digits).toBe(crc32(checked).toString(16).padStart(8, "0"));
  });

  it("is JSON with its checksum's zeros in front", () => {
    const entries = Array.from({ length: 400 }, (_, index) => ({
      sequence: index + 1,
      lastEventNumber: 0,
      change: {},
    }));
    const lines = entries.map((told) => lineOf(told).toString());
    const leading = lines.filter((line) => line.startsWith('{"crc32":"0'));

    expect(leading.length).toBeGreaterThan(0);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ change: {} });
    for (const line of leading)
      expect(readJournalLine(Buffer.from(line.trimEnd()))).toMatchObject({ change: {} });
  });
});

describe("a text that is not a journal line", () => {
  const whole = lineOf({ sequence: 3, lastEventNumber: 1, change: { payins: [payin()] } })
    .toString()
    .trimEnd();

  it("differs from a complete one, such as this", () => {
    expect(readJournalLine(Buffer.from(whole))).not.toHaveProperty("damage");
  });

  it("is refused if any byte is missing, or one is added", () => {
    const bytes = Buffer.from(whole);
    for (let length = 0; length < bytes.length; length++)
      expect(readJournalLine(bytes.subarray(0, length))).toHaveProperty("damage");
    for (const tail of [" ", "\r", "\n", "\0", "}", "x"])
      expect(readJournalLine(Buffer.from(whole + tail))).toHaveProperty("damage");
    for (const head of [" ", "\ufeff", "\0", "{"])
      expect(readJournalLine(Buffer.from(head + whole))).toHaveProperty("damage");
  });

  it("is refused where its checksum is written in capitals, or in other words", () => {
    const [sealed, digits] = sealedWithLetters();
    expect(readJournalLine(Buffer.from(sealed))).not.toHaveProperty("damage");

    for (const other of [digits.toUpperCase(), ` ${digits.slice(1)}`, `+${digits.slice(1)}`])
      expect(readJournalLine(Buffer.from(sealed.replace(digits, other)))).toMatchObject({
        damage: inWords({ en: expect.stringContaining("checksum") }),
      });
  });

  const FITTING: readonly (readonly [string, string])[] = [
    ["a member beside the known ones", '"sequence":1,"lastEventNumber":0,"change":{},"more":1}'],
    ["a member called __proto__", '"sequence":1,"lastEventNumber":0,"change":{},"__proto__":{}}'],
    [
      "a change that brings something unknown",
      '"sequence":1,"lastEventNumber":0,"change":{"refunds":[]}}',
    ],
    [
      "a change with a member called __proto__",
      '"sequence":1,"lastEventNumber":0,"change":{"__proto__":[]}}',
    ],
    ["no sequence", '"lastEventNumber":0,"change":{}}'],
    ["the sequence 0", '"sequence":0,"lastEventNumber":0,"change":{}}'],
    ["a sequence that is text", '"sequence":"1","lastEventNumber":0,"change":{}}'],
    ["a sequence that is no whole number", '"sequence":1.5,"lastEventNumber":0,"change":{}}'],
    ["no event number", '"sequence":1,"change":{}}'],
    ["a negative event number", '"sequence":1,"lastEventNumber":-1,"change":{}}'],
    ["no change", '"sequence":1,"lastEventNumber":0}'],
    ["a change that is null", '"sequence":1,"lastEventNumber":0,"change":null}'],
    ["a change that is a list", '"sequence":1,"lastEventNumber":0,"change":[]}'],
    ["payins that are no list", '"sequence":1,"lastEventNumber":0,"change":{"payins":{}}}'],
    ["a payin that is null", '"sequence":1,"lastEventNumber":0,"change":{"payins":[null]}}'],
    [
      "a payin that lacks everything",
      '"sequence":1,"lastEventNumber":0,"change":{"payins":[{"id":"1"}]}}',
    ],
    [
      "a clock of an unknown mode",
      '"sequence":1,"lastEventNumber":0,"change":{"clock":{"mode":"slow"}}}',
    ],
    ["two documents", '"sequence":1,"lastEventNumber":0,"change":{}}{}'],
    ["no end", '"sequence":1,"lastEventNumber":0,"change":{'],
    ["nothing behind the checksum", ""],
  ];

  it.each(FITTING)(
    "is refused by what is wrong though its checksum fits: %s",
    (_title, checked) => {
      const read = readJournalLine(seal(checked));

      expect(read).toMatchObject({
        damage: inWords({
          en: expect.stringMatching(/^it (is not valid JSON|has unknown content)/),
        }),
      });
    },
  );

  it.each([
    ['"sequence":1,"lastEventNumber":0,"change":{},"more":1}', "((root): "],
    ['"sequence":1,"lastEventNumber":0,"change":{"clock":{"mode":"slow"}}}', "(change.clock: "],
  ])("is refused with the place of what is unknown: %s", (checked, place) => {
    expect(readJournalLine(seal(checked))).toMatchObject({
      damage: inWords({ en: expect.stringContaining(place) }),
    });
  });

  it("is refused if its checksum is that of another line", () => {
    const other = lineOf({ sequence: 4, lastEventNumber: 1, change: {} }).toString();
    const mixed = whole.replace(/[0-9a-f]{8}/, other.slice(10, 18));

    expect(readJournalLine(Buffer.from(mixed))).toHaveProperty("damage");
  });
});

describe("lines that are written at once", { timeout: 60_000 }, () => {
  it("stand one after the other, and each reads as it was written", () => {
    const lines = new JournalLines();
    const entries = Array.from({ length: 500 }, (_, index) => entry(index + 1, `text ${index} 😀`));
    for (const one of entries) lines.add(one);

    expect(lines.count).toBe(500);
    expectLines(lines, entries);
  });

  it("are whole though the memory they began in was too small, before and behind", () => {
    const lines = new JournalLines();
    const entries = [1, 70_000, 3, 1 << 20, 0, 200_000, 5].map((length, index) =>
      entry(index + 1, "é".repeat(length)),
    );
    for (const one of entries) {
      const before = Buffer.from(lines.bytes);
      lines.add(one);
      expect(lines.bytes.subarray(0, before.length).equals(before)).toBe(true);
    }

    expectLines(lines, entries);
  });

  it("are whole where they fill their memory to the last byte, and one byte more", () => {
    const empty = lineOf(entry(1, "")).length;
    for (const length of [-2, -1, 0, 1, 2]) {
      const lines = new JournalLines();
      const fitting = entry(1, "x".repeat((1 << 16) - empty + length));
      lines.add(fitting);
      lines.add(entry(2, "behind"));
      expectLines(lines, [fitting, entry(2, "behind")]);
    }
  });

  it("are removed when cleared, however many there were", () => {
    const lines = new JournalLines();
    for (const length of [10, 5 << 20, 10]) {
      lines.add(entry(1, "x".repeat(length)));
      lines.clear();
      expect([lines.count, lines.bytes.length]).toEqual([0, 0]);
    }
    lines.add(entry(2, "after"));

    expect(lines.count).toBe(1);
    expectLines(lines, [entry(2, "after")]);
  });

  it("that are cleared leave those alone that were taken before in another piece of memory", () => {
    const [one, other] = [new JournalLines(), new JournalLines()];
    one.add(entry(1, "one"));
    other.add(entry(2, "other"));
    one.clear();
    one.add(entry(3, "next"));

    expectLines(other, [entry(2, "other")]);
    expectLines(one, [entry(3, "next")]);
  });
});

function entry(sequence: number, description: string): JournalEntry {
  return { sequence, lastEventNumber: sequence, change: { payins: [payin({ description })] } };
}

function lineOf(one: JournalEntry): Buffer {
  const lines = new JournalLines();
  lines.add(one);
  return Buffer.from(lines.bytes);
}

/** A line with a checksum that fits whatever it says. */
function seal(checked: string): Buffer {
  return Buffer.from(`{"crc32":"${crc32(checked).toString(16).padStart(8, "0")}",${checked}`);
}

/** A line that is fine, in whose checksum there are letters; and that checksum. */
function sealedWithLetters(): [line: string, digits: string] {
  for (let sequence = 1; ; sequence++) {
    const line = lineOf({ sequence, lastEventNumber: 0, change: {} }).toString().trimEnd();
    const digits = line.slice(10, 18);
    if (/[a-f]/.test(digits)) return [line, digits];
  }
}

function expectLines(lines: JournalLines, entries: readonly JournalEntry[]): void {
  const written = lines.bytes.toString();
  expect(written.endsWith("\n")).toBe(true);
  const read = written.slice(0, -1).split("\n");
  expect(read.length).toBe(entries.length);
  for (const [index, line] of read.entries())
    expectSame(readJournalLine(Buffer.from(line)), entries[index] as JournalEntry);
}

/** Compared as text: megabytes of difference help nobody. */
function expectSame(
  read: ReturnType<typeof readJournalLine>,
  { sequence, lastEventNumber, change }: JournalEntry,
): void {
  if ("damage" in read) throw new Error(english(read.damage));
  expect([read.sequence, read.lastEventNumber]).toEqual([sequence, lastEventNumber]);
  expect(JSON.stringify(read.change) === JSON.stringify(change)).toBe(true);
}

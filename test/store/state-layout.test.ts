import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Change } from "../../src/core/state/records.ts";
import { StateFileError } from "../../src/store/errors.ts";
import { readBlocks } from "../../src/store/format/lines.ts";
import { type Header, LISTS, RARE_LISTS } from "../../src/store/format/schema.ts";
import { HeaderError, UnknownLayout } from "../../src/store/format/header.ts";
import { StateReader } from "../../src/store/format/state-reader.ts";
import type { StateSink } from "../../src/store/format/state-sink.ts";
import { type Lists, writeState } from "../../src/store/format/state-writer.ts";
import { readWholeState } from "../../src/store/format/whole-state.ts";
import { openStateFile } from "../../src/store/file/state-file.ts";
import { attempt, delivery, payin, payout, randomFrom, START_MS } from "../support/core.ts";
import { english } from "../../src/text/languages.ts";
import type { Message } from "../../src/text/message.ts";

const HEADER: Header = {
  format: "pix-sandbox",
  version: 1,
  sequence: 12,
  lastEventNumber: 34,
  lastFaultOrdinals: [[null, 1]],
  clock: { mode: "real", offsetMs: 5 },
  identity: { seed: 'a "seed"\n', secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
};

/** A row of everything, with texts that look like the layout itself. */
const SOME: Lists = {
  webhookConfigurations: [
    { integration: "shop", webhookUrl: "http://127.0.0.1:3000/", events: ["payment.received"] },
  ],
  changedAssumptions: [{ integration: null, changes: { "payout.rival": "allow" } }],
  faults: [
    {
      id: "flt_1",
      integration: null,
      ordinal: 1,
      on: "webhook",
      effect: { kind: "delay_ms", ms: 500 },
      match: { description: "]," },
      times: 2,
      probability: 0.5,
      used: 1,
      drawn: 3,
    },
  ],
  payins: [
    payin({ id: "1", description: '],\n"payouts":[\n{}' }),
    payin({ id: "2", description: "\u2028 \ud800 \0 😀 é" }),
    payin({ id: "__proto__", idempotencyKey: "__proto__" }),
  ],
  payouts: [payout({ id: "3", receiverName: "]}" })],
  deliveries: [
    delivery({ body: '{"a":[\n]}', attempts: [attempt({ response: "\r\n" }), attempt()] }),
  ],
};
const NOTHING: Lists = {
  webhookConfigurations: [],
  changedAssumptions: [],
  payins: [],
  payouts: [],
  deliveries: [],
};

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-layout-"));
  file = path.join(folder, "state.json");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the text of a state file", () => {
  it.each([
    ["a row of everything", SOME],
    ["nothing", NOTHING],
    ["one list alone", { ...NOTHING, payouts: [payout()] }],
    ["many rows", manyRows(700)],
  ])("is valid JSON of the header and the lists: %s", (_title, lists) => {
    expect(JSON.parse(textOf(HEADER, lists))).toEqual(plain({ ...HEADER, ...lists }));
  });

  it("names lists that there are none of, as empty ones", () => {
    const { format, version, sequence, lastEventNumber } = HEADER;
    const header = { format, version, sequence, lastEventNumber };

    expect(JSON.parse(textOf(header, {}))).toMatchObject({ ...header, ...NOTHING });
  });

  it.each([
    ["a row of everything", SOME],
    ["nothing", NOTHING],
    ["many rows", manyRows(700)],
  ])("has the header in its first line and every record in a line of its own: %s", (_t, lists) => {
    const text = textOf(HEADER, lists);
    const lines = text.split("\n");
    const records = Object.values(lists).flat();

    expect(lines.pop()).toBe("");
    expect(lines[0]).toBe(`${JSON.stringify(HEADER).slice(0, -1)},`);
    expect(lines.length).toBe(1 + Object.keys(lists).length * 2 + records.length);
    const texts = new Set(lines.map((line) => line.replace(/,$/, "")));
    for (const record of records) expect(texts.has(JSON.stringify(record))).toBe(true);
  });

  it("comes in pieces of a bounded size, each no more than a row beyond it", () => {
    const lists = manyRows(3000);
    const sizes = Array.from(writeState(HEADER, lists), ({ length }) => length);
    const rows = (lists.payins ?? []).map((row) => Buffer.byteLength(JSON.stringify(row)));

    expect(sizes.length).toBeGreaterThan(10);
    for (const size of sizes) expect(size).toBeLessThan((1 << 16) + Math.max(...rows) + 100);
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThanOrEqual(1 << 16);
  });

  it("puts a row that is larger than a piece into one with little else", () => {
    const payins = [payin({ id: "1" }), payin({ id: "2", request: "x".repeat(1 << 20) }), payin()];
    const pieces = Array.from(writeState(HEADER, { ...NOTHING, payins }), String);

    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan((1 << 20) + (1 << 16));
    expect(JSON.parse(pieces.join(""))).toMatchObject(
      plain({ ...HEADER, ...NOTHING, payins }) as object,
    );
  });
});

describe("the counts and the checksum that earlier versions wrote in the last line", () => {
  const LAST = '"counts":{"payins":3},"crc32":"01234567"}';
  const before = textOf(HEADER, SOME).replace(/\]\}\n$/, `],\n${LAST}\n`);
  const damagesOf = async (text: string): Promise<readonly string[]> =>
    (await readPieces(Buffer.from(text), () => 4096)).damages;

  it("are ignored, in any layout", async () => {
    for (const text of [before, before.trimEnd()])
      expect(await readPieces(Buffer.from(text), () => 4096)).toMatchObject({
        lists: plain(SOME),
        damages: [],
      });
    const sink = new Told();
    readWholeState(Buffer.from(JSON.stringify(JSON.parse(before), null, 2)), sink);
    expect(sink.told()).toEqual({ header: HEADER, lists: plain(SOME), damages: [] });
  });

  it.each([
    ["in the middle", before.replace(/(\n"payins":\[)/, `\n${LAST}$1`)],
    ["twice", `${before}${LAST}\n`],
    ["followed by a list", `${before}"faults":[\n]}\n`],
    ["cut", before.trimEnd().slice(0, -1)],
    ["gone", before.replace(`${LAST}\n`, "")],
  ])("are damage where they are %s", async (_title, text) => {
    expect(await damagesOf(text)).not.toEqual([]);
  });
});

it("reads the rows of the right list, whichever line begins it", async () => {
  for (const name of LISTS) {
    const text = textOf(HEADER, SOME).replace(`"${name}":[`, "damaged");
    const told = await readPieces(Buffer.from(text), () => 4096);
    expect([name, told.lists]).toEqual([name, plain(SOME)]);
    expect(told.damages).toHaveLength(1);
  }
});

describe("a state file that is read line by line", { timeout: 60_000 }, () => {
  it.each([
    ["a row of everything", SOME],
    ["nothing", NOTHING],
    ["many rows", manyRows(300)],
  ])("tells what was written, however its bytes arrive: %s", async (_title, lists) => {
    const bytes = Buffer.from(textOf(HEADER, lists));
    const random = randomFrom(3);
    for (const size of [1, 2, 3, 7, 4096, bytes.length, "random"] as const) {
      const told = await readPieces(bytes, () =>
        size === "random" ? 1 + Math.floor(random() * 900) : size,
      );
      expect(told).toEqual({ header: HEADER, lists: plain(lists), damages: [] });
    }
  });

  it.each([
    ["nothing at all", ""],
    ["one line that does not end", JSON.stringify({ ...HEADER, ...NOTHING })],
    ["one line", `${JSON.stringify({ ...HEADER, ...NOTHING })}\n`],
    ["indented", `${JSON.stringify({ ...HEADER, ...NOTHING }, null, 2)}\n`],
    ["a space behind its first line", textOf(HEADER, SOME).replace(",\n", ", \n")],
    ["line ends as on Windows", textOf(HEADER, SOME).replaceAll("\n", "\r\n")],
    ["another file", '{"name":"my-shop",\n"version":1}\n'],
    ["a byte order mark", `\ufeff${textOf(HEADER, SOME)}`],
  ])("says where it is laid out in another way: %s", async (_title, text) => {
    await expect(readPieces(Buffer.from(text), () => 4096)).rejects.toThrow(UnknownLayout);
  });

  it.each([
    ["of a newer version", { version: 2 }],
    ["of another program", { format: "pix-sandbox-2" }],
    ["with a sequence below 0", { sequence: -1 }],
    ["with event numbers below 0", { lastEventNumber: -1 }],
    ["with a secret that is none", { identity: { seed: "1", secret: "secret" } }],
    ["with a clock that is none", { clock: { mode: "frozen" } }],
  ])("is refused for its first line where that is %s", async (_title, members) => {
    const bytes = Buffer.from(textOf({ ...HEADER, ...members } as Header, SOME));

    await expect(readPieces(bytes, () => 4096)).rejects.toThrow(HeaderError);
  });
});

describe("a state file that is read whole", () => {
  it.each([
    ["without indentation", JSON.stringify({ ...HEADER, ...SOME })],
    ["indented", JSON.stringify({ ...HEADER, ...SOME }, null, 2)],
    [
      "indented by tabs, with a line feed behind it",
      `${JSON.stringify({ ...HEADER, ...SOME }, null, "\t")}\n`,
    ],
    ["with its members the other way round", JSON.stringify(reversed({ ...HEADER, ...SOME }))],
  ])("tells what was written: %s", (_title, text) => {
    const sink = new Told();
    readWholeState(Buffer.from(text), sink);

    expect(sink.told()).toEqual({ header: HEADER, lists: plain(SOME), damages: [] });
  });

  it("reports the rows that can be read, and those that cannot", () => {
    const sink = new Told();
    const payins = [...(SOME.payins ?? []), { id: "broken" }];
    readWholeState(Buffer.from(JSON.stringify({ ...HEADER, ...SOME, payins })), sink);

    const { lists, damages } = sink.told();
    expect(lists).toEqual(plain(SOME));
    expect(damages).toEqual([expect.stringContaining("payins")]);
  });
});

describe("a state file with another layout", () => {
  const document = { ...HEADER, ...SOME };

  it.each([
    ["on one line", JSON.stringify(document)],
    ["on one line with a line feed", `${JSON.stringify(document)}\n`],
    ["indented", `${JSON.stringify(document, null, 2)}\n`],
    [
      "indented, with line ends as on Windows",
      JSON.stringify(document, null, 2).replaceAll("\n", "\r\n"),
    ],
    [
      "a record a line, with line ends as on Windows",
      textOf(HEADER, SOME).replaceAll("\n", "\r\n"),
    ],
    ["a record a line, without the last line feed", textOf(HEADER, SOME).trimEnd()],
    ["with blank lines around it", `\n\n${JSON.stringify(document)}\n\n`],
  ])("holds the same records: %s", async (_title, text) => {
    await writeFile(file, text);
    const store = await openStateFile(file);
    const { records } = store;
    await store.close();

    const { lastFaultOrdinals, clock, identity } = HEADER;
    expect(plain(records.toChange())).toEqual(
      plain({ ...SOME, lastFaultOrdinals, clock, identity }),
    );
    expect(records.lastEventNumber).toBe(34);
  });

  it("is laid out anew once something changes", async () => {
    await writeFile(file, JSON.stringify(document, null, 4));
    const store = await openStateFile(file);
    const clock = { mode: "real", offsetMs: 6 } as const;
    store.commit({ clock });
    await store.close();

    expect(await readFile(file, "utf8")).toBe(
      textOf({ ...HEADER, sequence: 13, clock }, plain(SOME) as Lists),
    );
    expect(await readdir(folder)).toEqual(["state.json"]);
  });
});

describe("a state file with bytes that are no text of JSON", () => {
  const ours = Buffer.from(textOf(HEADER, SOME));
  const flat = Buffer.from(JSON.stringify({ ...HEADER, ...SOME }));
  const inName = (bytes: Buffer): number => bytes.indexOf("Maria") + 2;
  const cases = [
    ["ours", ours],
    ["on one line", flat],
  ] as const;

  it.each(
    cases.flatMap(([layout, bytes]) => [
      [`a byte order mark, ${layout}`, Buffer.concat([Buffer.from("\ufeff"), bytes])] as const,
      [`a byte that is no UTF-8 in a name, ${layout}`, put(bytes, inName(bytes), 0xff)] as const,
      [`a letter cut in half, ${layout}`, put(bytes, inName(bytes), 0xc3)] as const,
      [`a surrogate in UTF-8, ${layout}`, put(bytes, inName(bytes), 0xed, 0xa0, 0x80)] as const,
      [`a byte that is no UTF-8 in the first line, ${layout}`, put(bytes, 12, 0xff)] as const,
      [`a NUL in a name, ${layout}`, put(bytes, inName(bytes), 0)] as const,
      [`a NUL in the first line, ${layout}`, put(bytes, 12, 0)] as const,
      [`a NUL in front, ${layout}`, put(bytes, 0, 0)] as const,
      [`a NUL behind, ${layout}`, put(bytes, bytes.length, 0)] as const,
      [`a line feed in a name, ${layout}`, put(bytes, inName(bytes), 0x0a)] as const,
      [`UTF-16, ${layout}`, Buffer.from(bytes.toString(), "utf16le")] as const,
    ]),
  )("is refused by its name and left as it is: %s", async (_title, bytes) => {
    await writeFile(file, bytes);
    const opening = openStateFile(file);
    opening.then((store) => store.close()).catch(() => undefined);

    await expect(opening).rejects.toThrow(StateFileError);
    await expect(opening).rejects.toThrow(file);
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect(await readdir(folder)).toEqual(["state.json"]);
  });
});

describe("a state of 2,000 records", { timeout: 60_000 }, () => {
  it("is found again as it was, after an end in good order and written again", async () => {
    const change = {
      identity: HEADER.identity,
      payins: manyRows(800).payins,
      payouts: Array.from({ length: 700 }, (_, index) =>
        payout({
          id: `out ${index}`,
          ordinal: index,
          idempotencyKey: `out ${index}`,
          eventNumber: index,
        }),
      ),
      deliveries: Array.from({ length: 500 }, (_, index) =>
        delivery({
          id: `evt ${index}`,
          status: "delivered",
          attempts: [attempt()],
          eventNumber: index,
        }),
      ),
    } as Change;
    const first = await openStateFile(file);
    first.commit(change);
    await first.close();
    const text = await readFile(file, "utf8");
    expect(text.split("\n").length).toBeGreaterThan(2000);

    const second = await openStateFile(file);
    const known = JSON.stringify(plain(second.records.toChange()));
    const wanted = new Map(Object.entries(change));
    for (const [name, rows] of Object.entries(JSON.parse(known) as object))
      expect(JSON.stringify(rows)).toBe(JSON.stringify(wanted.get(name) ?? []));
    second.commit({ clock: { mode: "frozen", nowMs: START_MS } });
    await second.close();

    const third = await openStateFile(file);
    const { clock, ...rest } = third.records.toChange();
    await third.close();
    expect(clock).toEqual({ mode: "frozen", nowMs: START_MS });
    expect(JSON.stringify(rest) === known).toBe(true);
  });
});

function manyRows(count: number): Lists {
  const payins = Array.from({ length: count }, (_, index) =>
    payin({
      id: `in ${index}`,
      ordinal: index + 1,
      idempotencyKey: `key ${index}`,
      description: "é".repeat(index % 140),
      eventNumber: index + 1,
    }),
  );
  return { ...NOTHING, payins };
}

function textOf(header: Header, lists: Lists): string {
  return Array.from(writeState(header, lists), String).join("");
}

/** What JSON makes of it: members that are undefined are none. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

function reversed(value: object): object {
  return Object.fromEntries(Object.entries(value).toReversed());
}

/** The bytes with others put in between. */
function put(bytes: Buffer, position: number, ...others: number[]): Buffer {
  return Buffer.concat([
    bytes.subarray(0, position),
    Buffer.from(others),
    bytes.subarray(position),
  ]);
}

async function readPieces(bytes: Buffer, nextSize: () => number) {
  const sink = new Told();
  const reader = new StateReader(sink);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let start = 0; start < bytes.length;) {
      const end = start + nextSize();
      yield bytes.subarray(start, end);
      start = end;
    }
  }
  reader.end(await readBlocks(pieces(), (block) => reader.read(block)));
  return sink.told();
}

/** Remembers what it is told. */
class Told implements StateSink {
  #header: Header | undefined;
  readonly #rows: [string, object][] = [];
  readonly #damages: string[] = [];

  header(header: Header): void {
    this.#header = header;
  }

  rows(list: string, rows: readonly object[]): void {
    for (const row of rows) this.#rows.push([list, row]);
  }

  damage(line: number, text: Message): void {
    this.#damages.push(`${line}: ${english(text)}`);
  }

  told() {
    const isThere = (name: string) =>
      !RARE_LISTS.has(name as keyof Lists) || this.#rows.some(([list]) => list === name);
    const lists = LISTS.filter(isThere).map((name) => [
      name,
      this.#rows.flatMap(([list, row]) => (list === name ? [row] : [])),
    ]);
    return {
      header: this.#header,
      lists: Object.fromEntries(lists) as unknown,
      damages: this.#damages,
    };
  }
}

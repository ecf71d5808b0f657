import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../src/core/state/ports.ts";
import type { Change } from "../../src/core/state/records.ts";
import { type Disk, realDisk } from "../../src/store/file/disk/disk.ts";
import { StateFileError } from "../../src/store/errors.ts";
import { StateNames } from "../../src/store/file/disk/names.ts";
import { readStateFiles, type StateFiles } from "../../src/store/file/journal/state-files.ts";
import { checkState, repairState } from "../../src/store/file/repair.ts";
import { openStateFile } from "../../src/store/file/state-file.ts";
import {
  attempt,
  deferred,
  delivery,
  FakeAlarm,
  payin,
  payout,
  randomFrom,
  START_MS,
} from "../support/core.ts";
import { isLock } from "../support/lock.ts";

/*
 * Three parties must agree on each damaged state: what this file expects, which it works out from
 * the place of the damage and the changes that were committed; `readStateFiles`, which is asked about every
 * byte and every bit; and `openStateFile` and `repairState` on the machine's disk, which are asked
 * about every kind of damage and about a sample of the places.
 */

/** The files of a state, by their names. */
type Files = ReadonlyMap<string, Buffer>;

interface Scene {
  readonly files: Files;
  /** How many commits the state file holds. */
  readonly base: number;
  /** The files of the journal that have lines, oldest first. */
  readonly journals: readonly string[];
}

/** What is to become of a damaged state, and how many of its commits are there then. */
type Outcome =
  | { readonly kind: "starts"; readonly commits: number; readonly torn?: Place | undefined }
  | { readonly kind: "refused"; readonly commits: number; readonly at: Place };

/** A line of a file. */
interface Place {
  readonly file: string;
  readonly line: number;
  /** How many bytes stand before it, where that matters. */
  readonly offset?: number;
}

const STATE = "state.json";

/** Short texts, since every bit of them is flipped. */
const SHORT = {
  valueCents: 1,
  webhookUrl: "http://h/",
  buyerCpf: "1",
  buyerName: "José 😀",
  buyerEmail: "b",
  pixId: "p",
  acquirerId: "a",
  qrCode: "q",
  createdAtMs: 1,
  expiresAtMs: 9,
};
const WAITING = payin({
  ...SHORT,
  id: "in 2",
  ordinal: 2,
  idempotencyKey: "__proto__",
  eventNumber: 2,
});
const PENDING = delivery({
  id: "evt_1",
  transactionId: "out 1",
  url: "http://h/",
  body: '{"é":1}',
  nextAttemptAtMs: 1,
  createdAtMs: 1,
  eventNumber: 4,
});

/** The first stands in the state file of most scenes, the second to sixth in the only file of its journal. */
const COMMITS: readonly Change[] = [
  {
    identity: { seed: "42", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
    payins: [payin({ ...SHORT, id: "in 1", eventNumber: 1 })],
    changedAssumptions: [{ integration: null, changes: { "error.language": "pt" } }],
  },
  { payins: [WAITING] },
  {
    payouts: [
      payout({
        id: "out 1",
        ordinal: 3,
        idempotencyKey: "k3",
        webhookUrl: "http://h/",
        eventNumber: 3,
      }),
    ],
    deliveries: [PENDING],
  },
  {
    deliveries: [
      {
        ...PENDING,
        status: "delivered",
        nextAttemptAtMs: null,
        attempts: [attempt({ eventNumber: 5 })],
      },
    ],
  },
  {
    webhookConfigurations: [
      { integration: "shop", webhookUrl: "http://h/", events: ["payment.failed"] },
    ],
  },
  { clock: { mode: "frozen", nowMs: START_MS } },
  {
    payins: [{ ...WAITING, status: "paid", settledAtMs: 2, endToEndId: "E1", eventNumber: 8 }],
    clock: { mode: "frozen", nowMs: 5 },
  },
  { changedAssumptions: [{ integration: "shop", changes: { "webhook.timeout_seconds": 3 } }] },
  { clock: { mode: "real", offsetMs: -5 } },
];

/** How many event numbers are taken before each commit that no record shows. */
const TAKEN_BEFORE: readonly number[] = [0, 0, 0, 0, 0, 2, 0, 0, 1];
/** The number of the newest event after so many commits. */
const LAST_EVENT_NUMBERS: readonly number[] = [0, 1, 2, 4, 5, 5, 7, 8, 8, 9];
/** All that is known after so many commits. */
const KNOWN: readonly string[] = Array.from({ length: COMMITS.length + 1 }, (_, count) =>
  foldChanges(COMMITS.slice(0, count)),
);

let oneFile: Scene;
let twoFiles: Scene;
let compacted: Scene;
let overlapping: Scene;
let idle: Scene;
let fresh: Scene;
/** What the tests put on the machine's disk. */
const folders: string[] = [];

beforeAll(async () => {
  [oneFile, twoFiles, compacted, overlapping, idle, fresh] = await Promise.all([
    abandonedWithOneFile(),
    abandonedInRenewal("rename"),
    abandonedInRenewal("remove"),
    abandonedInRenewal("remove", true),
    abandonedIdle(),
    abandonedAtFirst(),
  ]);
});

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

describe("the corpus", { timeout: 120_000 }, () => {
  it("is made of what processes leave that die: one file, two in a compaction, an empty one after a restart", () => {
    const shapes = [oneFile, twoFiles, compacted, overlapping, idle, fresh].map(({ files }) =>
      Object.fromEntries(
        [...files].map(([name, bytes]) => [
          name.replace(/\d+-[0-9a-f]{8}\.tmp$/, "…tmp"),
          name.endsWith(".journal") ? linesOf(bytes).length : "whole",
        ]),
      ),
    );

    expect(shapes).toEqual([
      { [STATE]: "whole", "state.json.2.journal": 5 },
      {
        [STATE]: "whole",
        "state.json.5.journal": 2,
        "state.json.7.journal": 3,
        "state.json.…tmp": "whole",
      },
      { [STATE]: "whole", "state.json.5.journal": 2, "state.json.7.journal": 3 },
      { [STATE]: "whole", "state.json.5.journal": 2, "state.json.7.journal": 3 },
      { [STATE]: "whole", "state.json.2.journal": 5, "state.json.7.journal": 0 },
      { [STATE]: "whole", "state.json.1.journal": 6 },
    ]);
  });

  it("starts with everything if nothing is damaged", async () => {
    const judge = new Judge();
    for (const scene of [oneFile, twoFiles, compacted, overlapping, idle, fresh])
      await judge.ask("whole", scene.files, { kind: "starts", commits: lastCommitOf(scene) });

    expect([judge.wrong, judge.failures]).toEqual([0, []]);
    expect(judge.count).toBe(6);
  });
});

describe("a journal that is cut", { timeout: 120_000 }, () => {
  it("at any byte starts with every complete line, and distinguishes the incomplete one", async () => {
    const judge = new Judge();
    for (const scene of [oneFile, fresh]) {
      const [journal = ""] = scene.journals;
      await judgeCuts(judge, scene, journal);
    }
    await judgeCuts(judge, twoFiles, "state.json.7.journal");
    await judgeCuts(judge, compacted, "state.json.7.journal");
    await judgeCuts(judge, overlapping, "state.json.7.journal");

    expect([judge.wrong, judge.failures]).toEqual([0, []]);
    expect(judge.count).toBe(
      [oneFile, fresh, twoFiles, compacted, overlapping]
        .map((scene) => bytesOf(scene, scene.journals.at(-1) ?? "").length)
        .reduce((sum, length) => sum + length),
    );
    expect(judge.count).toBeGreaterThan(5000);
  });

  it("at any byte before another file's lines is refused by its line", async () => {
    const judge = new Judge();
    const file = "state.json.5.journal";
    const bytes = bytesOf(twoFiles, file);
    for (let length = 0; length < bytes.length; length++) {
      const complete = linesOf(bytes.subarray(0, length));
      const isBetween = lengthOfLines(complete) === length;
      await judge.ask(`cut to ${length}`, withFile(twoFiles, file, bytes.subarray(0, length)), {
        kind: "refused",
        commits: twoFiles.base + complete.length,
        at: isBetween
          ? { file: "state.json.7.journal", line: 1 }
          : { file, line: complete.length + 1 },
      });
    }

    expect([judge.wrong, judge.failures]).toEqual([0, []]);
    expect(judge.count).toBe(bytes.length);
  });

  it("within its last line starts, though an empty file follows that a later process began", async () => {
    const judge = new Judge();
    const file = "state.json.2.journal";
    const bytes = bytesOf(idle, file);
    const { start } = lastLineOf(bytes);
    for (let length = start + 1; length < bytes.length; length++)
      await judge.ask(
        `cut to ${length}`,
        withFile(idle, file, bytes.subarray(0, length)),
        tornAt(idle, file, 4, start),
      );

    expect([judge.wrong, judge.failures]).toEqual([0, []]);
    expect(judge.count).toBe(bytes.length - start - 1);
  });

  it("before its last line is refused where an empty file is named after a later commit", async () => {
    const judge = new Judge();
    const file = "state.json.2.journal";
    const bytes = bytesOf(idle, file);
    const { start } = lastLineOf(bytes);
    for (let length = 0; length <= start; length++) {
      const complete = linesOf(bytes.subarray(0, length)).length;
      const isBetween = length === lengthOfLines(linesOf(bytes.subarray(0, length)));
      await judge.ask(`cut to ${length}`, withFile(idle, file, bytes.subarray(0, length)), {
        kind: "refused",
        commits: idle.base + complete,
        at: isBetween ? { file: "state.json.7.journal", line: 1 } : { file, line: complete + 1 },
      });
    }

    expect([judge.wrong, judge.failures]).toEqual([0, []]);
    expect(judge.count).toBe(start + 1);
  });
});

describe("a journal with one bit flipped", { timeout: 120_000 }, () => {
  it("starts without a damaged last line, and refuses any other damaged line by its number", async () => {
    const judge = new Judge();
    await judgeFlips(judge, oneFile, "state.json.2.journal");
    await judgeFlips(judge, twoFiles, "state.json.5.journal");
    await judgeFlips(judge, twoFiles, "state.json.7.journal");

    expect([judge.wrong, judge.failures]).toEqual([0, []]);
    const bits = 8 * (lengthOf(oneFile, 2) + lengthOf(twoFiles, 5) + lengthOf(twoFiles, 7));
    // The line feeds before the two last lines are judged below.
    expect(judge.count).toBe(bits - 2 * 8);
    expect(judge.count).toBeGreaterThan(20_000);
  });

  it("is refused where the line feed before its last line is damaged: two lines look like one", async () => {
    const judge = new Judge();
    for (const [scene, file] of [
      [oneFile, "state.json.2.journal"],
      [twoFiles, "state.json.7.journal"],
    ] as const) {
      const { start } = lastLineOf(bytesOf(scene, file));
      for (let bit = 0; bit < 8; bit++) await judgeFlip(judge, scene, file, start - 1, bit);
    }

    expect([judge.wrong, judge.failures]).toEqual([0, []]);
    expect(judge.count).toBe(16);
  });
});

describe("a damaged journal", { timeout: 120_000 }, () => {
  /** Each kind of damage, at one place or a few. */
  const kinds = (): [title: string, files: Files, outcome: Outcome][] => {
    const first = "state.json.2.journal";
    const older = "state.json.5.journal";
    const second = "state.json.7.journal";
    const one = bytesOf(oneFile, first);
    const lines = linesOf(one);
    const [last = Buffer.alloc(0)] = lines.slice(-1);
    const half = last.subarray(0, last.length / 2);
    const random = randomFrom(7);
    const garbage = Buffer.from(Array.from({ length: 700 }, () => Math.floor(random() * 256)));
    const behind = (...more: Buffer[]): Files =>
      withFile(oneFile, first, Buffer.concat([one, ...more]));
    const tornBehind = tornAt(oneFile, first, 5, one.length);
    const insteadOfLast = (...more: Buffer[]): Files =>
      withFile(oneFile, first, Buffer.concat([...lines.slice(0, -1), ...more]));
    const tornLast = tornAt(oneFile, first, 4, one.length - last.length);
    const ofLines = (changed: readonly Buffer[]): Files =>
      withFile(oneFile, first, Buffer.concat(changed));
    const refused = (scene: Scene, file: string, line: number): Outcome => ({
      kind: "refused",
      commits: (file === second ? 6 : scene.base) + line - 1,
      at: { file, line },
    });
    const feed = Buffer.from("\n");
    return [
      ["a tail of one zero", behind(Buffer.alloc(1)), tornBehind],
      ["a tail of 4096 zeros", behind(Buffer.alloc(4096)), tornBehind],
      ["a tail of zeros and a line feed", behind(Buffer.alloc(99), feed), tornBehind],
      ["a tail of garbage", behind(garbage), tornBehind],
      ["a tail that is an empty line", behind(feed), tornBehind],
      ["a tail of another file's text", behind(Buffer.from('{"name":"shop"}\n{}\n')), tornBehind],
      ["half a line and zeros", insteadOfLast(half, Buffer.alloc(512)), tornLast],
      ["half a line, zeros and a line feed", insteadOfLast(half, Buffer.alloc(9), feed), tornLast],
      ["half a line and garbage", insteadOfLast(half, garbage), tornLast],
      ["half a line and a line feed", insteadOfLast(half, feed), tornLast],
      ["zeros in place of the last line", insteadOfLast(Buffer.alloc(last.length)), tornLast],
      ...lines.map((line, index): [string, Files, Outcome] => [
        `line ${index + 1} doubled`,
        ofLines(lines.toSpliced(index, 0, line)),
        refused(oneFile, first, index + 2),
      ]),
      ...lines
        .slice(1)
        .map((line, index): [string, Files, Outcome] => [
          `lines ${index + 1} and ${index + 2} swapped`,
          ofLines(lines.toSpliced(index, 2, line, lines[index] as Buffer)),
          refused(oneFile, first, index + 1),
        ]),
      ...lines
        .slice(1)
        .map((_, index): [string, Files, Outcome] => [
          `line ${index + 1} removed`,
          ofLines(lines.toSpliced(index, 1)),
          refused(oneFile, first, index + 1),
        ]),
      ...lines
        .slice(1)
        .map((_, index): [string, Files, Outcome] => [
          `line ${index + 1} empty`,
          ofLines(lines.toSpliced(index, 1, feed)),
          refused(oneFile, first, index + 1),
        ]),
      [
        "zeros in place of the first line",
        ofLines(lines.toSpliced(0, 1, Buffer.alloc(lines[0]?.length ?? 0), feed)),
        refused(oneFile, first, 1),
      ],
      ["a byte order mark", ofLines([Buffer.from("\ufeff"), ...lines]), refused(oneFile, first, 1)],
      [
        "the first of two files without its last line",
        withFile(twoFiles, older, Buffer.concat(linesOf(bytesOf(twoFiles, older)).slice(0, -1))),
        { kind: "refused", commits: 5, at: { file: second, line: 1 } },
      ],
      [
        "the first of two files with its last line doubled",
        withFile(twoFiles, older, Buffer.concat([bytesOf(twoFiles, older), last])),
        refused(twoFiles, older, 3),
      ],
      [
        "the first of two files with a tail of zeros",
        withFile(twoFiles, older, Buffer.concat([bytesOf(twoFiles, older), Buffer.alloc(9)])),
        refused(twoFiles, older, 3),
      ],
      [
        "the first of two files empty",
        withFile(twoFiles, older, Buffer.alloc(0)),
        { kind: "refused", commits: 4, at: { file: second, line: 1 } },
      ],
      [
        "the first of two files missing",
        withFile(twoFiles, older, undefined),
        { kind: "refused", commits: 4, at: { file: second, line: 1 } },
      ],
      [
        "the two files named for each other",
        new Map([
          ...twoFiles.files,
          [older, bytesOf(twoFiles, second)],
          [second, bytesOf(twoFiles, older)],
        ]),
        refused(twoFiles, older, 1),
      ],
      [
        "a second file that has all lines of the first",
        withFile(twoFiles, second, bytesOf(twoFiles, older)),
        refused(twoFiles, second, 1),
      ],
      [
        "the last line of the second of two files halved",
        withFile(
          twoFiles,
          second,
          bytesOf(twoFiles, second).subarray(0, lastLineOf(bytesOf(twoFiles, second)).start + 9),
        ),
        tornAt(twoFiles, second, 2, lastLineOf(bytesOf(twoFiles, second)).start),
      ],
      [
        "the only line of the second of two files halved",
        withFile(twoFiles, second, bytesOf(twoFiles, second).subarray(0, 30)),
        tornAt(twoFiles, second, 0, 0),
      ],
      [
        "the last two lines halved and gone, when the state file has all of them",
        withFile(overlapping, second, bytesOf(overlapping, second).subarray(0, -200)),
        afterCut(overlapping, second, bytesOf(overlapping, second).length - 200),
      ],
      [
        "every line gone, when the state file has all of them",
        withFile(overlapping, second, Buffer.alloc(0)),
        { kind: "starts", commits: COMMITS.length },
      ],
      [
        "the first line damaged, when the state file has all of them",
        withFile(overlapping, second, flip(bytesOf(overlapping, second), 40, 0)),
        { kind: "refused", commits: COMMITS.length, at: { file: second, line: 1 } },
      ],
      ...(["damaged", "missing"] as const).map((what): [string, Files, Outcome] => [
        `the first of two files ${what}, when the state file has all of it`,
        withFile(compacted, older, what === "missing" ? undefined : garbage),
        { kind: "starts", commits: COMMITS.length },
      ]),
    ];
  };

  it("is judged alike by rebuild, by the start and by the repair, whatever the damage is", async () => {
    const judge = new Judge();
    for (const [title, files, outcome] of kinds()) {
      await judge.ask(title, files, outcome);
      await judge.askForReal(title, files, outcome);
    }

    expect([judge.wrong, judge.failures]).toEqual([0, []]);
    expect(judge.count).toBe(kinds().length * 2);
    expect(judge.count).toBeGreaterThan(80);
  });

  it("is judged alike at a sample of cuts and of flipped bits", async () => {
    const judge = new Judge();
    const random = randomFrom(11);
    for (const [scene, file] of [
      [oneFile, "state.json.2.journal"],
      [twoFiles, "state.json.5.journal"],
      [twoFiles, "state.json.7.journal"],
    ] as const) {
      const bytes = bytesOf(scene, file);
      const isLastFile = file === scene.journals.at(-1);
      for (let count = 0; count < 6; count++) {
        const position = Math.floor(random() * bytes.length);
        const bit = Math.floor(random() * 8);
        await judge.askForReal(
          `${file}: bit ${bit} of byte ${position}`,
          withFile(scene, file, flip(bytes, position, bit)),
          afterDamageAt(scene, file, position),
        );
        if (!isLastFile) continue;
        const cut = bytes.subarray(0, position);
        await judge.askForReal(
          `${file}: cut to ${position}`,
          withFile(scene, file, cut),
          afterCut(scene, file, position),
        );
      }
    }

    expect([judge.wrong, judge.failures]).toEqual([0, []]);
    expect(judge.count).toBe(6 * 5);
  });

  it("is refused if every line ends as on Windows", async () => {
    const judge = new Judge();
    const file = "state.json.2.journal";
    const text = bytesOf(oneFile, file).toString();
    const files = withFile(oneFile, file, Buffer.from(text.replaceAll("\n", "\r\n")));
    await judge.askForReal("CRLF", files, { kind: "refused", commits: 1, at: { file, line: 1 } });

    expect([judge.wrong, judge.failures]).toEqual([0, []]);
  });

  it("is refused if a complete line has unknown content, even the last one", async () => {
    const judge = new Judge();
    const file = "state.json.2.journal";
    const lines = linesOf(bytesOf(oneFile, file));
    for (const first of [1, 3, 5]) {
      const newer = lines.map((line, index) => (index + 1 < first ? line : withMember(line)));
      await judge.askForReal(`from line ${first}`, withFile(oneFile, file, Buffer.concat(newer)), {
        kind: "refused",
        commits: first,
        at: { file, line: first },
      });
    }

    expect([judge.wrong, judge.failures]).toEqual([0, []]);
    expect(judge.count).toBe(3);
  });

  it("is refused where the last two lines are damaged: the first of them was complete once", async () => {
    const judge = new Judge();
    const file = "state.json.2.journal";
    const bytes = bytesOf(oneFile, file);
    const { start } = lastLineOf(bytes);
    const flipped = flip(flip(bytes, start - 9, 0), start + 30, 0);
    await judge.askForReal("two", withFile(oneFile, file, flipped), {
      kind: "refused",
      commits: 4,
      at: { file, line: 4 },
    });

    expect([judge.wrong, judge.failures]).toEqual([0, []]);
  });
});

describe("a journal without its state file", { timeout: 120_000 }, () => {
  it("is refused by the names of both, and a repair rebuilds the file from the first commit on", async () => {
    const { file, folder } = await place(withFile(fresh, STATE, undefined));
    const before = await filesIn(folder);

    const refusal = await refusalOf(openStateFile(file));
    expect(refusal).toContain(file);
    expect(refusal).toContain("state.json.1.journal");
    expect(refusal).toContain(`npx pix-sandbox state repair ${file}`);
    await expectFiles(folder, before);

    expect(await repairState(file)).toMatchObject({ commits: 6, damages: [], aside: [] });
    expect([...(await filesIn(folder)).keys()]).toEqual([STATE]);
    expect(await knownAfterStart(file)).toEqual(knownAfter(6));
  });

  it("that lacks its first lines is refused, by the repair too, and left unchanged", async () => {
    const { file, folder } = await place(withFile(oneFile, STATE, undefined));
    const before = await filesIn(folder);

    expect(await refusalOf(openStateFile(file))).toContain("state.json.2.journal");
    expect(await refusalOf(repairState(file))).toContain(file);
    await expectFiles(folder, before);
  });
});

describe("a state file that is cut", { timeout: 120_000 }, () => {
  it.each([
    ["alone", () => stateOf(oneFile, false)],
    ["with a journal behind it", () => stateOf(oneFile, true)],
    ["when it is empty still", () => stateOf(fresh, false)],
    ["when it holds a row of everything", () => stateOf(compacted, true)],
  ])("at any byte is never taken for whole: %s", async (_title, get) => {
    const files = get();
    const bytes = files.get(STATE) as Buffer;
    const whole = await knownOrRefused(files, 0);
    expect(whole).not.toBe(REFUSED);
    const taken: string[] = [];
    for (let length = 0; length < bytes.length; length++) {
      const cut = new Map([...files, [STATE, bytes.subarray(0, length)]]);
      const outcome = await knownOrRefused(cut, length);
      if (outcome !== REFUSED && outcome !== whole) taken.push(`${length}: ${outcome}`);
    }

    expect(taken).toEqual([]);
    expect(bytes.length).toBeGreaterThan(100);
  });
});

describe("a state file with one bit flipped", { timeout: 120_000 }, () => {
  it("is refused, or holds as many records as before: none goes missing without a word", async () => {
    const files = stateOf(compacted, false);
    const bytes = bytesOf(compacted, STATE);
    const countRows = (known: string): string => {
      if (known === REFUSED) return REFUSED;
      const lists = Object.values(JSON.parse(known) as Record<string, unknown>);
      return lists.flatMap((list) => (Array.isArray(list) ? list.length : [])).join();
    };
    const whole = countRows(await knownOrRefused(files, 0));
    expect(whole).toBe("2,1,1,1,1");
    const lost: string[] = [];
    let refused = 0;
    for (let position = 0; position < bytes.length; position++) {
      const flipped = flip(bytes, position, position % 8);
      const found = countRows(await knownOrRefused(new Map([[STATE, flipped]]), position));
      if (found === REFUSED) refused++;
      else if (found !== whole) lost.push(`byte ${position}: ${found}`);
    }

    expect(lost).toEqual([]);
    // Text that a person could have put there is taken as it stands.
    expect(refused).toBeGreaterThan(bytes.length / 4);
    expect(refused).toBeLessThan(bytes.length);
  });

  it("is refused if its clock or its secret is missing", async () => {
    const bytes = bytesOf(compacted, STATE);
    const [header = Buffer.alloc(0)] = linesOf(bytes);
    const lost: string[] = [];
    for (let position = 0; position < header.length; position++) {
      for (let bit = 0; bit < 8; bit++) {
        const files = new Map([[STATE, flip(bytes, position, bit)]]);
        const known = await knownOrRefused(files, position);
        if (known === REFUSED) continue;
        const { clock, identity } = JSON.parse(known) as Change;
        if (!clock) lost.push(`bit ${bit} of byte ${position}: no clock`);
        if (!identity) lost.push(`bit ${bit} of byte ${position}: no identity`);
      }
    }

    expect(lost).toEqual([]);
  });
});

describe("a state file with a garbled line", { timeout: 120_000 }, () => {
  const GARBLED: readonly (readonly [string, (line: Buffer) => Buffer])[] = [
    ["overwritten", (line) => Buffer.alloc(line.length, "#")],
    ["zeros", (line) => Buffer.alloc(line.length)],
    ["halved", (line) => line.subarray(0, Math.floor(line.length / 2))],
    ["with a NUL", (line) => insert(line, 3, 0)],
    ["not UTF-8", (line) => insert(line, 1, 0xff)],
    ["another's", () => Buffer.from('{"id":"a row of nothing"},')],
  ];
  /** Every row is overwritten; of the other kinds each has a row of its own. */
  const ROWS_OF = GARBLED.map(
    ([title, garble], kind) =>
      [title, garble, (row: number): boolean => kind === 0 || row === kind] as const,
  );
  const linesOfState = (): Buffer[] =>
    linesOf(bytesOf(compacted, STATE)).map((line) => line.subarray(0, -1));
  const isRow = (line: Buffer): boolean => line.toString().startsWith('{"') && line.at(-1) !== 0x5b;
  const rowsOf = (known: string): [string, unknown][] =>
    Object.entries(JSON.parse(known) as Record<string, unknown>);

  it.each(ROWS_OF)(
    "(%s) that was a row is refused by that line, and a repair keeps all other rows",
    async (_title, garble, isMeant) => {
      const lines = linesOfState();
      let [row, count] = [0, 0];
      for (const [index, line] of lines.entries()) {
        if (index === 0 || !isRow(line) || !isMeant(row++)) continue;
        const damaged = joinLines(lines.toSpliced(index, 1, garble(line)));
        const files = new Map([[STATE, damaged]]);
        const { file, folder } = await place(files);

        const refusal = await refusalOf(openStateFile(file));
        expect(refusal).toContain(`line ${index + 1} of ${file} is damaged`);
        expect(refusal).not.toMatch(/and \d+ more/);
        await expectFiles(folder, files);

        const { aside } = await repairState(file);
        expect(await readAll(aside)).toEqual([toText(damaged)]);
        const text = line.toString().replace(/,$/, "");
        const others = rowsOf(KNOWN[6] ?? "").map(([name, rows]) => [
          name,
          Array.isArray(rows) ? rows.filter((one) => JSON.stringify(one) !== text) : rows,
        ]);
        expect(rowsOf((await knownAfterStart(file)).known)).toEqual(others);
        count++;
      }

      expect(row).toBe(6);
      expect(count).toBe(isMeant(1) && isMeant(2) ? 6 : 1);
    },
  );

  it.each(GARBLED.slice(0, 3))(
    "(%s) that began or ended a list is refused by that line, and a repair keeps all rows",
    async (_title, garble) => {
      const lines = linesOfState();
      const repaired: string[] = [];
      const wanted: string[] = [];
      for (const [index, line] of lines.entries()) {
        if (isRow(line)) continue;
        const damaged = joinLines(lines.toSpliced(index, 1, garble(line)));
        const { file } = await place(new Map([[STATE, damaged]]));
        const refusal = await refusalOf(openStateFile(file));
        expect(refusal).toContain(`line ${index + 1} of ${file} is damaged`);

        await repairState(file);
        repaired.push(`without ${line.toString()} ${(await knownAfterStart(file)).known}`);
        wanted.push(`without ${line.toString()} ${KNOWN[6]}`);
      }

      expect(repaired).toEqual(wanted);
      expect(repaired.length).toBe(11);
    },
  );

  it.each(GARBLED.slice(0, -1))(
    "(%s) that was the first is refused, by the repair too, and left as it is",
    async (_title, garble) => {
      const lines = linesOfState();
      const [header = Buffer.alloc(0)] = lines;
      const damaged = joinLines(lines.toSpliced(0, 1, garble(header)));
      const files = withFile(compacted, STATE, damaged);
      const { file, folder } = await place(files);

      expect(await refusalOf(openStateFile(file))).toContain(file);
      expect(await refusalOf(repairState(file))).toContain(file);
      await expectFiles(folder, files);
    },
  );

  it("is repaired by all lines before it where the file was cut there", async () => {
    const lines = linesOfState();
    const repaired: number[] = [];
    const wanted: number[] = [];
    for (const [index, line] of lines.entries()) {
      if (index === 0) continue;
      const before = lines.slice(0, index);
      const half = line.subarray(0, Math.floor(line.length / 2));
      const { file } = await place(new Map([[STATE, Buffer.concat([joinLines(before), half])]]));
      expect(await refusalOf(openStateFile(file))).toContain(` of ${file} is damaged`);
      await repairState(file);
      const lists = rowsOf((await knownAfterStart(file)).known).map(([, list]) => list);
      repaired.push(lists.filter((list) => Array.isArray(list)).flat().length);
      wanted.push(before.slice(1).filter(isRow).length);
    }

    expect(repaired).toEqual(wanted);
  });

  it("is repaired together with a damaged journal, and both are quarantined", async () => {
    const name = "state.json.2.journal";
    const journal = flip(bytesOf(oneFile, name), 5, 0);
    const text = bytesOf(oneFile, STATE).toString();
    const state = Buffer.from(text.replace('"id":"in 1"', '"id":"in 1'));
    const files = new Map([
      [STATE, state],
      [name, journal],
    ]);
    const { file, folder } = await place(files);

    expect(await refusalOf(openStateFile(file))).toMatch(/and 1 more/);
    await expectFiles(folder, files);
    const { aside } = await repairState(file);
    expect(await readAll(aside)).toEqual([state, journal].map(toText));
    expect((await filesIn(folder)).size).toBe(3);
    const { known } = await knownAfterStart(file);
    expect(JSON.parse(known)).toEqual({
      ...(JSON.parse(KNOWN[1] ?? "") as object),
      payins: [],
    });
  });
});

/** Asks about one damaged state after another, and remembers where the answer was not the expected one. */
class Judge {
  count = 0;
  wrong = 0;
  /** The first few of the wrong answers. */
  readonly failures: string[] = [];

  /** What `readStateFiles` makes of it. `split` is where the files' bytes arrive in two pieces. */
  async ask(title: string, files: Files, outcome: Outcome, split = this.count): Promise<void> {
    this.count++;
    const [found, wanted] = [await outcomeOfRebuild(files, split), tell(outcome)];
    if (found !== wanted) this.#fail(`${title}: ${found}, not: ${wanted}`);
  }

  /** What becomes of it on the machine's disk. */
  async askForReal(title: string, files: Files, outcome: Outcome): Promise<void> {
    this.count++;
    const checked =
      outcome.kind === "starts" ? expectStart(files, outcome) : expectRefusal(files, outcome);
    await checked.catch((error: Error) => this.#fail(`${title}: ${error.message}`));
  }

  #fail(failure: string): void {
    this.wrong++;
    if (this.failures.length < SHOWN_FAILURES) this.failures.push(failure);
  }
}

const SHOWN_FAILURES = 10;

/** Starts on the files: nothing is missing, nothing is too much, and what was torn off is kept. */
async function expectStart(
  files: Files,
  { commits, torn }: Outcome & { kind: "starts" },
): Promise<void> {
  const { file, folder } = await place(files);
  const before = await filesIn(folder);
  const sentences: string[] = [];
  const store = await openStateFile(file, { report: ({ en }) => sentences.push(en) });
  expect(knownIn(store)).toEqual(knownAfter(commits));

  if (torn) {
    expect(sentences).toEqual([
      expect.stringMatching(/^[^\n]+ was incomplete [^\n]+ saved in [^\n]+$/),
    ]);
    expect(sentences[0]).toContain(`Line ${torn.line} of ${path.join(folder, torn.file)} `);
    const asides = [...(await filesIn(folder))].filter(
      ([name]) => !before.has(name) && name.includes(".torn-"),
    );
    const tail = files.get(torn.file)?.subarray(torn.offset);
    expect(asides.map(([, bytes]) => toText(bytes))).toEqual([toText(tail)]);
    expect(sentences[0]).toContain(path.join(folder, asides[0]?.[0] ?? ""));
  } else expect(sentences).toEqual([]);

  // What is written after a damage is found again after a crash, and after an end in good order.
  store.commit({ clock: { mode: "real", offsetMs: 77 } });
  await store.durable();
  const copy = await place(await filesIn(folder));
  const known = knownIn(store);
  await store.close();
  expect((await knownAfterStart(copy.file)).known).toBe(known.known);
  expect((await knownAfterStart(file)).known).toBe(known.known);
}

/** Refuses the files, changes nothing, and repairs them when it is asked to. */
async function expectRefusal(
  files: Files,
  { commits, at }: Outcome & { kind: "refused" },
): Promise<void> {
  const { file, folder } = await place(files);
  const refusal = await refusalOf(openStateFile(file));
  expect(refusal).toContain(`line ${at.line} of ${path.join(folder, at.file)} is damaged`);
  expect(refusal).toContain(`npx pix-sandbox state repair ${file}`);
  await expectFiles(folder, files);

  const { damages, aside: none } = await checkState(file);
  expect(damages).toEqual([
    {
      file: path.join(folder, at.file),
      line: at.line,
      reason: expect.objectContaining({ en: expect.any(String) }),
    },
  ]);
  expect(none).toEqual([]);
  await expectFiles(folder, files);

  const { aside } = await repairState(file);
  expect(aside.length).toBeGreaterThan(0);
  const names = aside.map((kept) => path.basename(kept).replace(/\.damaged-.*$/, ""));
  expect(names).toEqual(
    [...files.keys()].filter((name) => name.endsWith(".journal") && name >= at.file).toSorted(),
  );
  expect(await readAll(aside)).toEqual(names.map((name) => toText(files.get(name))));
  expect([...(await filesIn(folder)).keys()].toSorted()).toEqual(
    [STATE, ...aside.map((kept) => path.basename(kept))].toSorted(),
  );
  expect(await knownAfterStart(file)).toEqual(knownAfter(commits));
}

/** Every length of a journal file with no lines behind it but its own. */
async function judgeCuts(judge: Judge, scene: Scene, file: string): Promise<void> {
  const bytes = bytesOf(scene, file);
  for (let length = 0; length < bytes.length; length++)
    await judge.ask(
      `${file} cut to ${length}`,
      withFile(scene, file, bytes.subarray(0, length)),
      afterCut(scene, file, length),
    );
}

/** Every bit of a journal file, but for the line feed before the last line of all. */
async function judgeFlips(judge: Judge, scene: Scene, file: string): Promise<void> {
  const bytes = bytesOf(scene, file);
  const { start } = lastLineOf(bytes);
  for (let position = 0; position < bytes.length; position++) {
    if (file === scene.journals.at(-1) && position === start - 1) continue;
    for (let bit = 0; bit < 8; bit++) await judgeFlip(judge, scene, file, position, bit);
  }
}

async function judgeFlip(
  judge: Judge,
  scene: Scene,
  file: string,
  position: number,
  bit: number,
): Promise<void> {
  await judge.ask(
    `${file}: bit ${bit} of byte ${position}`,
    withFile(scene, file, flip(bytesOf(scene, file), position, bit)),
    afterDamageAt(scene, file, position),
    position,
  );
}

/** What is left of the last file of a journal that ends after so many bytes. */
function afterCut(scene: Scene, file: string, length: number): Outcome {
  const complete = linesOf(bytesOf(scene, file).subarray(0, length));
  const start = lengthOfLines(complete);
  if (start === length)
    return { kind: "starts", commits: commitsAfter(scene, file, complete.length) };
  return tornAt(scene, file, complete.length, start);
}

/** A damaged byte costs its line where that is the last of all, and the start anywhere else. */
function afterDamageAt(scene: Scene, file: string, position: number): Outcome {
  const bytes = bytesOf(scene, file);
  const complete = linesOf(bytes.subarray(0, position));
  const isLast = file === scene.journals.at(-1) && complete.length === linesOf(bytes).length - 1;
  if (isLast) return tornAt(scene, file, complete.length, lengthOfLines(complete));
  return {
    kind: "refused",
    commits: commitsAfter(scene, file, complete.length),
    at: { file, line: complete.length + 1 },
  };
}

/** How many commits are known once so many lines of a file are read; the state file may hold more. */
function commitsAfter({ base }: Scene, file: string, lines: number): number {
  return Math.max(base, firstOf(file) - 1 + lines);
}

function tornAt(scene: Scene, file: string, complete: number, offset: number): Outcome {
  return {
    kind: "starts",
    commits: commitsAfter(scene, file, complete),
    torn: { file, line: complete + 1, offset },
  };
}

/** In a few words, so that tens of thousands are compared fast. */
function tell(outcome: Outcome): string {
  const { kind, commits } = outcome;
  if (kind === "refused")
    return `refused at line ${outcome.at.line} of ${outcome.at.file} behind ${commits} commits`;
  const { torn } = outcome;
  const tail = torn && `, line ${torn.line} of ${torn.file} torn at ${torn.offset}`;
  return `starts behind ${commits} commits${tail ?? ""}`;
}

/** What `readStateFiles` makes of it, in the same words where nothing is wrong with the records. */
async function outcomeOfRebuild(files: Files, split: number): Promise<string> {
  const rebuilt = await rebuildFrom(files, split);
  if (rebuilt instanceof StateFileError) return `refused: ${rebuilt.message}`;
  const { db, damages, tornTail } = rebuilt;
  const { records, sequence: commits } = db.data;
  if (!isDeepStrictEqual(knownIn({ records }), knownAfter(commits)))
    return `records that never were, after ${commits} commits: ${JSON.stringify(records.toChange())}`;
  const [damage, more] = damages.map(({ file, line }) => ({ file: path.basename(file), line }));
  if (more) return `more than one damage: line ${more.line} of ${more.file}`;
  if (damage) return tell({ kind: "refused", commits, at: damage });
  const torn = tornTail && { ...tornTail, file: path.basename(tornTail.file) };
  return tell({ kind: "starts", commits, torn });
}

const REFUSED = "refused";

async function knownOrRefused(files: Files, split: number): Promise<string> {
  const rebuilt = await rebuildFrom(files, split);
  return rebuilt instanceof StateFileError || rebuilt.damages.length > 0
    ? REFUSED
    : knownIn(rebuilt.db.data).known;
}

async function rebuildFrom(files: Files, split: number): Promise<StateFiles | StateFileError> {
  const disk = new ReadOnlyDisk(files, split);
  try {
    return await readStateFiles(disk, new StateNames(disk.at(STATE)));
  } catch (error) {
    if (error instanceof StateFileError) return error;
    throw error;
  }
}

/** Runs a real state file in a folder of its own, and takes what a process leaves that dies at that moment. */
async function abandon(
  run: (open: (disk?: Disk, timer?: FakeAlarm) => Promise<Store>) => Promise<() => void>,
): Promise<Files> {
  const folder = await newFolder();
  const stores: Store[] = [];
  const letGo = await run(async (disk = realDisk, timer = new FakeAlarm()) => {
    const store = await openStateFile(path.join(folder, STATE), { disk, timer });
    stores.push(store);
    return store;
  });
  const files = await filesIn(folder);
  letGo();
  for (const store of stores) await store.close();
  return files;
}

async function commit(store: Store, from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number++) {
    for (let taken = 0; taken < (TAKEN_BEFORE[number - 1] ?? 0); taken++)
      store.records.takeEventNumber();
    store.commit(COMMITS[number - 1] ?? {});
  }
  await store.durable();
}

const NOTHING_TO_LET_GO = (): void => undefined;

async function abandonedWithOneFile(): Promise<Scene> {
  const files = await abandon(async (open) => {
    const first = await open();
    await commit(first, 1, 1);
    await first.close();
    await commit(await open(), 2, 6);
    return NOTHING_TO_LET_GO;
  });
  return { files, base: 1, journals: ["state.json.2.journal"] };
}

/**
 * Dies before the new state file has its name, or before the old journal is removed.
 * @param isLate whether the new state file was begun after the new journal had its first lines
 */
async function abandonedInRenewal(step: "rename" | "remove", isLate = false): Promise<Scene> {
  const files = await abandon(async (open) => {
    const first = await open();
    await commit(first, 1, 4);
    await first.close();
    const begun = new ConcurrencyLimiter();
    const end = new ConcurrencyLimiter();
    const disk: Disk = {
      ...realDisk,
      syncFolder: async (name) => {
        await begun.pass();
        await realDisk.syncFolder(name);
      },
      rename: async (from, to) => {
        if (step === "rename") await end.pass();
        await realDisk.rename(from, to);
      },
      remove: async (name) => {
        if (step === "remove") await end.pass();
        await realDisk.remove(name);
      },
    };
    const timer = new FakeAlarm();
    begun.open();
    const store = await open(disk, timer);
    await commit(store, 5, 6);
    if (isLate) begun.shut();
    timer.ring();
    if (isLate) {
      await begun.reached();
      const durable = commit(store, 7, 9);
      begun.open();
      await durable;
    }
    await end.reached();
    if (!isLate) await commit(store, 7, 9);
    return () => end.open();
  });
  if (step === "rename")
    return { files, base: 4, journals: ["state.json.5.journal", "state.json.7.journal"] };
  return { files, base: isLate ? 9 : 6, journals: ["state.json.7.journal"] };
}

/** Whoever comes waits while it is shut. */
class ConcurrencyLimiter {
  #came = deferred();
  #opened = deferred();

  async pass(): Promise<void> {
    this.#came.resolve();
    await this.#opened.promise;
  }

  reached(): Promise<void> {
    return this.#came.promise;
  }

  open(): void {
    this.#opened.resolve();
  }

  shut(): void {
    this.#came = deferred();
    this.#opened = deferred();
  }
}

/** Dies, is started again, and dies before anything has happened. */
async function abandonedIdle(): Promise<Scene> {
  const { files: before } = await abandonedWithOneFile();
  const { file, folder } = await place(before);
  const store = await openStateFile(file);
  const files = await filesIn(folder);
  await store.close();
  return { files, base: 1, journals: ["state.json.2.journal"] };
}

async function abandonedAtFirst(): Promise<Scene> {
  const files = await abandon(async (open) => {
    await commit(await open(), 1, 6);
    return NOTHING_TO_LET_GO;
  });
  return { files, base: 0, journals: ["state.json.1.journal"] };
}

/** The rows that changes leave behind, worked out without the code that is tested. */
function foldChanges(changes: readonly Change[]): string {
  const lists = {
    payins: new Map<unknown, unknown>(),
    payouts: new Map<unknown, unknown>(),
    deliveries: new Map<unknown, unknown>(),
    webhookConfigurations: new Map<unknown, unknown>(),
    changedAssumptions: new Map<unknown, unknown>(),
  };
  const settings: Pick<Change, "clock" | "identity"> = {};
  for (const { clock, identity, ...rows } of changes) {
    for (const [name, list] of Object.entries(rows))
      for (const row of list as readonly { id?: string; integration: string | null }[])
        lists[name as keyof typeof lists].set(row.id ?? row.integration, row);
    Object.assign(settings, clock && { clock }, identity && { identity });
  }
  const { clock, identity } = settings;
  const all = Object.entries(lists).map(([name, rows]) => [name, [...rows.values()]]);
  return JSON.stringify({ ...Object.fromEntries(all), clock, identity });
}

function knownAfter(commits: number) {
  return { known: KNOWN[commits], lastEventNumber: LAST_EVENT_NUMBERS[commits] };
}

function knownIn({ records }: Pick<Store, "records">) {
  return { known: JSON.stringify(records.toChange()), lastEventNumber: records.lastEventNumber };
}

async function knownAfterStart(file: string) {
  const sentences: string[] = [];
  const store = await openStateFile(file, { report: ({ en }) => sentences.push(en) });
  const known = knownIn(store);
  await store.close();
  expect(sentences).toEqual([]);
  return known;
}

async function refusalOf(refused: Promise<unknown>): Promise<string> {
  const error = await refused.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StateFileError);
  return (error as Error).message;
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-damage-"));
  folders.push(folder);
  return folder;
}

/** Puts files into a folder of their own on the machine's disk. */
async function place(files: Files): Promise<{ folder: string; file: string }> {
  const folder = await newFolder();
  for (const [name, bytes] of files) await writeFile(path.join(folder, name), bytes);
  return { folder, file: path.join(folder, STATE) };
}

async function filesIn(folder: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(folder)).filter((name) => !isLock(name)).toSorted();
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(path.join(folder, name))] as const),
    ),
  );
}

async function expectFiles(folder: string, files: Files): Promise<void> {
  const [found, wanted] = [await filesIn(folder), files].map((some) =>
    Object.fromEntries([...some].map(([name, bytes]) => [name, toText(bytes)])),
  );
  expect(found).toEqual(wanted);
}

/** Byte for byte, and compared faster than bytes are. */
function toText(bytes: Buffer | undefined): string | undefined {
  return bytes?.toString("latin1");
}

function readAll(paths: readonly string[]): Promise<(string | undefined)[]> {
  return Promise.all(paths.map(async (name) => toText(await readFile(name))));
}

function withFile({ files }: Scene, name: string, bytes: Buffer | undefined): Files {
  const changed = new Map(files);
  if (bytes) changed.set(name, bytes);
  else changed.delete(name);
  return changed;
}

function bytesOf({ files }: Scene, name: string): Buffer {
  const bytes = files.get(name);
  if (!bytes) throw new Error(`There is no ${name}.`);
  return bytes;
}

function lengthOf(scene: Scene, first: number): number {
  return bytesOf(scene, `state.json.${first}.journal`).length;
}

function stateOf(scene: Scene, withJournal: boolean): Files {
  const names = [STATE, ...(withJournal ? scene.journals : [])];
  return new Map(names.map((name) => [name, bytesOf(scene, name)]));
}

/** The lines that are complete, each with its line feed. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (;;) {
    const end = bytes.indexOf("\n", start);
    if (end < 0) break;
    lines.push(bytes.subarray(start, end + 1));
    start = end + 1;
  }
  return lines;
}

/** The same line of a journal with one member more, and a checksum that fits. */
function withMember(line: Buffer): Buffer {
  const checked = line.toString().trimEnd().slice('{"crc32":"01234567",'.length, -1);
  const more = `${checked},"more":1}`;
  return Buffer.from(`{"crc32":"${crc32(more).toString(16).padStart(8, "0")}",${more}\n`);
}

function flip(bytes: Buffer, position: number, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[position] = (flipped[position] ?? 0) ^ (1 << bit);
  return flipped;
}

function insert(line: Buffer, position: number, byte: number): Buffer {
  return Buffer.concat([line.subarray(0, position), Buffer.from([byte]), line.subarray(position)]);
}

function joinLines(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
}

function lengthOfLines(lines: readonly Buffer[]): number {
  return lines.reduce((length, line) => length + line.length, 0);
}

function lastLineOf(bytes: Buffer): { start: number } {
  return { start: lengthOfLines(linesOf(bytes).slice(0, -1)) };
}

/** The number of the commit that a journal's file begins with. */
function firstOf(file: string): number {
  return Number(/\.(\d+)\.journal$/.exec(file)?.[1]);
}

function lastCommitOf({ files, base }: Scene): number {
  const counts = [...files].map(([name, bytes]) =>
    name.endsWith(".journal") ? firstOf(name) - 1 + linesOf(bytes).length : base,
  );
  return Math.max(...counts);
}

/** Files in memory that arrive in two pieces; whoever only reads them has no other call to make. */
class ReadOnlyDisk implements Disk {
  readonly #folder = path.resolve("nowhere");
  readonly #files: Files;
  readonly #split: number;
  readonly makeFolder = refuse;
  readonly create = refuse;
  readonly open = refuse;
  readonly rename = refuse;
  readonly remove = refuse;
  readonly syncFolder = refuse;

  constructor(files: Files, split: number) {
    this.#files = files;
    this.#split = split;
  }

  at(name: string): string {
    return path.join(this.#folder, name);
  }

  async list(): Promise<readonly string[]> {
    return [...this.#files.keys()];
  }

  async realPath(name: string): Promise<string> {
    return name;
  }

  async stat(name: string): Promise<{ size: number; mode: number }> {
    return { size: this.#bytes(name).length, mode: 0o600 };
  }

  async *read(name: string): AsyncGenerator<Buffer> {
    const bytes = this.#bytes(name);
    const split = this.#split % (bytes.length + 1);
    if (split > 0) yield bytes.subarray(0, split);
    if (split < bytes.length) yield bytes.subarray(split);
  }

  #bytes(name: string): Buffer {
    const bytes = this.#files.get(path.basename(name));
    if (!bytes) throw Object.assign(new Error(`ENOENT: ${name}`), { code: "ENOENT" });
    return bytes;
  }
}

async function refuse(): Promise<never> {
  throw new Error("Reading a state changes nothing.");
}

import path from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openStateFile } from "../../src/store/file/state-file.ts";
import { randomFrom } from "../support/core.ts";
import {
  COMMITS,
  Judge,
  STATE,
  afterCut,
  afterDamageAt,
  bytesOf,
  compacted,
  expectFiles,
  filesIn,
  fresh,
  lastLineOf,
  linesOf,
  oneFile,
  overlapping,
  place,
  refusalOf,
  tornAt,
  twoFiles,
  type Files,
  type Outcome,
  type Scene,
  useCorpus,
  withFile,
} from "./damage.ts";
import { flip } from "./flips.ts";

useCorpus();

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

  it("is judged alike by rebuild and by the start, whatever the damage is", async () => {
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
  it.each([
    ["whole", () => fresh, "state.json.1.journal"],
    ["without its first lines", () => oneFile, "state.json.2.journal"],
  ])("is refused by the names of both, and left unchanged: %s", async (_title, scene, journal) => {
    const { file, folder } = await place(withFile(scene(), STATE, undefined));
    const before = await filesIn(folder);

    const refusal = await refusalOf(openStateFile(file));
    expect(refusal).toContain(
      `The state file ${file} is missing, but its journal ${path.join(folder, journal)} exists.`,
    );
    await expectFiles(folder, before);
  });
});

/** The same line of a journal with one member more, and a checksum that fits. */
function withMember(line: Buffer): Buffer {
  const checked = line.toString().trimEnd().slice('{"crc32":"01234567",'.length, -1);
  const more = `${checked},"more":1}`;
  return Buffer.from(`{"crc32":"${crc32(more).toString(16).padStart(8, "0")}",${more}\n`);
}

import { describe, expect, it } from "vitest";
import {
  Judge,
  STATE,
  afterCut,
  bytesOf,
  compacted,
  firstOf,
  fresh,
  idle,
  lastLineOf,
  lengthOfLines,
  linesOf,
  oneFile,
  overlapping,
  tornAt,
  twoFiles,
  type Scene,
  useCorpus,
  withFile,
} from "./damage.ts";
import { judgeAllFlips, judgeFlip } from "./flips.ts";

useCorpus();

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
  // test/long/damage.test.ts flips every bit.
  it("starts without a damaged last line, and refuses any other damaged line by its number", () =>
    judgeAllFlips((position) => [position % 8]));

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

function lastCommitOf({ files, base }: Scene): number {
  const counts = [...files].map(([name, bytes]) =>
    name.endsWith(".journal") ? firstOf(name) - 1 + linesOf(bytes).length : base,
  );
  return Math.max(...counts);
}

import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/state/records.ts";
import { StateFileError } from "../../src/store/errors.ts";
import { openStateFile } from "../../src/store/file/state-file.ts";
import {
  KNOWN,
  STATE,
  bytesOf,
  compacted,
  expectFiles,
  fresh,
  knownAfterStart,
  knownIn,
  linesOf,
  oneFile,
  place,
  rebuildFrom,
  refusalOf,
  type Files,
  type Scene,
  useCorpus,
  withFile,
} from "./damage.ts";
import { flip } from "./flips.ts";

useCorpus();

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
    "(%s) that was a row is refused by that line, and without it all other rows are there",
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

        expect(refusal).toContain("Correct the line or delete it.");
        await writeFile(file, joinLines(lines.toSpliced(index, 1)));
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
    "(%s) that began or ended a list is refused by that line",
    async (_title, garble) => {
      const lines = linesOfState();
      let count = 0;
      for (const [index, line] of lines.entries()) {
        if (isRow(line)) continue;
        const damaged = joinLines(lines.toSpliced(index, 1, garble(line)));
        const { file } = await place(new Map([[STATE, damaged]]));
        const refusal = await refusalOf(openStateFile(file));
        expect(refusal).toContain(`line ${index + 1} of ${file} is damaged`);

        count++;
      }

      expect(count).toBe(10);
    },
  );

  it.each(GARBLED.slice(0, -1))(
    "(%s) that was the first is refused, and left as it is",
    async (_title, garble) => {
      const lines = linesOfState();
      const [header = Buffer.alloc(0)] = lines;
      const damaged = joinLines(lines.toSpliced(0, 1, garble(header)));
      const files = withFile(compacted, STATE, damaged);
      const { file, folder } = await place(files);

      expect(await refusalOf(openStateFile(file))).toContain(file);
      await expectFiles(folder, files);
    },
  );

  it("is refused together with a damaged journal, which is counted", async () => {
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
  });
});

const REFUSED = "refused";

async function knownOrRefused(files: Files, split: number): Promise<string> {
  const rebuilt = await rebuildFrom(files, split);
  return rebuilt instanceof StateFileError || rebuilt.damages.length > 0
    ? REFUSED
    : knownIn(rebuilt.db.data).known;
}

function stateOf(scene: Scene, withJournal: boolean): Files {
  const names = [STATE, ...(withJournal ? scene.journals : [])];
  return new Map(names.map((name) => [name, bytesOf(scene, name)]));
}

function insert(line: Buffer, position: number, byte: number): Buffer {
  return Buffer.concat([line.subarray(0, position), Buffer.from([byte]), line.subarray(position)]);
}

function joinLines(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
}

import { expect } from "vitest";
import {
  afterDamageAt,
  bytesOf,
  Judge,
  lastLineOf,
  oneFile,
  type Scene,
  twoFiles,
  withFile,
} from "./damage.ts";

const ALL_BITS = [0, 1, 2, 3, 4, 5, 6, 7];

/** Judges journals with one bit flipped; of each byte those bits that are named, or all. */
export async function judgeAllFlips(
  bitsAt: (position: number) => readonly number[] = () => ALL_BITS,
): Promise<void> {
  const judge = new Judge();
  let expected = 0;
  for (const [scene, file] of [
    [oneFile, "state.json.2.journal"],
    [twoFiles, "state.json.5.journal"],
    [twoFiles, "state.json.7.journal"],
  ] as const) {
    const bytes = bytesOf(scene, file);
    const { start } = lastLineOf(bytes);
    for (let position = 0; position < bytes.length; position++) {
      // What becomes of two lines that look like one is judged by itself.
      if (file === scene.journals.at(-1) && position === start - 1) continue;
      for (const bit of bitsAt(position)) {
        await judgeFlip(judge, scene, file, position, bit);
        expected++;
      }
    }
  }
  expect([judge.wrong, judge.failures]).toEqual([0, []]);
  expect(judge.count).toBe(expected);
  expect(judge.count).toBeGreaterThan(2500);
}

export async function judgeFlip(
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

export function flip(bytes: Buffer, position: number, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[position] = (flipped[position] ?? 0) ^ (1 << bit);
  return flipped;
}

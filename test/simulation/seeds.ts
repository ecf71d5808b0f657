import { expect } from "vitest";
import type { Chronicle } from "./chronicle.ts";
import { runSeed } from "./run.ts";
import { loadSystem, type System } from "./system.ts";

/** Runs the seeds from 1 to `count`. Returns the states that they reached. */
export async function runSeeds(system: System, count: number): Promise<ReadonlySet<string>> {
  const met = new Set<string>();
  for (let seed = 1; seed <= count; seed++) {
    const run = await runSeed(system, seed);
    if (run.violation) throw new Error(storyOf(seed, run));
    for (const state of run.met) met.add(state);
    await breath();
  }
  return met;
}

/** Runs each seed from 1 to `count` in two copies of the system and compares every step. */
export async function compareRuns(system: System, count: number): Promise<void> {
  const other = await loadSystem();
  for (let seed = 1; seed <= count; seed++) {
    const first = await runSeed(system, seed);
    const second = await runSeed(other, seed);
    expect(second.steps).toEqual(first.steps);
    expect(second.digest).toBe(first.digest);
  }
}

/** Describes a violation and how to repeat its run. */
function storyOf(seed: number, { violation, ending }: Chronicle): string {
  return [
    `Seed ${seed} breaks the promise "${violation?.invariant}". ${violation?.what}`,
    `To see all steps: PIX_SIM_SEED=${seed} npx vitest run test/simulation`,
    "The last steps (seconds, step):",
    ending,
  ].join("\n");
}

/** Lets the test runner handle its messages. */
export function breath(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

import { expect } from "vitest";
import { breath } from "../seeds.ts";
import { runTeamSeed } from "./run.ts";
import type { TeamSystem } from "./system.ts";

/** Runs the seeds from 1 to `count`. Returns the states that they reached. */
export async function runTeamSeeds(
  system: TeamSystem,
  count: number,
): Promise<ReadonlySet<string>> {
  const met = new Set<string>();
  for (let seed = 1; seed <= count; seed++) {
    const { violation, ending, met: reached } = await runTeamSeed(system, seed);
    if (violation)
      throw new Error(
        [
          `Seed ${seed} breaks the promise "${violation.invariant}". ${violation.what}`,
          `To see all steps: PIX_SIM_SEED=${seed} npx vitest run test/simulation/team`,
          "The last steps (seconds, step):",
          ending,
        ].join("\n"),
      );
    for (const state of reached) met.add(state);
    await breath();
  }
  return met;
}

/** Runs each seed from 1 to `count` twice, and compares every step. */
export async function compareTeamRuns(system: TeamSystem, count: number): Promise<void> {
  for (let seed = 1; seed <= count; seed++) {
    const first = await runTeamSeed(system, seed);
    const second = await runTeamSeed(system, seed);
    expect(second.steps).toEqual(first.steps);
    expect(second.digest).toBe(first.digest);
  }
}

/** The seeds prove nothing about a state that none of them reaches. */
export const RARE_TEAM_STATES: readonly string[] = [
  "append refused after a lost response",
  "append repeated, and its own lines found",
  "executed after its sender gave up",
  "executed twice",
  "idle transaction ended",
  "lease lapsed and regained",
  "paused leader woke after a take-over",
  "response to append lost",
  "response to claim lost",
  "stale leader got a conflict",
  "standby behind a compaction",
  "stopped in good order",
  "take-over while an append is in flight",
];

import { describe, expect, it } from "vitest";
import { breath } from "../simulation/seeds.ts";
import { TEAM_DEFECTS } from "../simulation/team/defects.ts";
import { runTeamSeed } from "../simulation/team/run.ts";
import { compareTeamRuns, RARE_TEAM_STATES, runTeamSeeds } from "../simulation/team/seeds.ts";
import { loadTeam } from "../simulation/team/system.ts";
import { lacks } from "../support/lacks.ts";

/** So many seeds reach every rare state and find every defect. PIX_SIM_SEEDS=n runs more of them. */
const ENOUGH_SEEDS = 3000;
const { PIX_SIM_SEEDS, PIX_TEST_LONG } = process.env;
const IS_SHORT = PIX_TEST_LONG === "short";
const SEEDS = Number(PIX_SIM_SEEDS ?? (IS_SHORT ? 300 : ENOUGH_SEEDS));
const LONG_MS = 60_000 + SEEDS * 500;

describe("processes that share a state", { timeout: LONG_MS }, () => {
  it("keep their promises whatever fails, at any moment", async () => {
    const met = await runTeamSeeds(await loadTeam(), SEEDS);
    const missing = RARE_TEAM_STATES.filter((state) => !met.has(state));
    if (SEEDS >= ENOUGH_SEEDS) expect(missing, "never reached").toEqual([]);
  });

  it("repeat every step of a seed", async () => compareTeamRuns(await loadTeam(), 20));
});

describe.skipIf(lacks("the long form"))("a planted defect of a team", { timeout: LONG_MS }, () => {
  it.each(TEAM_DEFECTS)("is found: $name", async ({ name, plantings, model, breaks }) => {
    const system = await loadTeam(plantings);
    for (let seed = 1; seed <= ENOUGH_SEEDS; seed++) {
      const { violation } = await runTeamSeed(system, seed, model);
      if (violation) return expect(breaks).toContain(violation.invariant);
      await breath();
    }
    throw new Error(`None of ${ENOUGH_SEEDS} seeds finds it: ${name}.`);
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { runTeamSeed } from "./run.ts";
import { compareTeamRuns, RARE_TEAM_STATES, runTeamSeeds } from "./seeds.ts";
import { loadTeam, type TeamSystem } from "./system.ts";

/** The first seeds; test/long/team-simulation.test.ts runs many more. PIX_SIM_SEED=s runs one and prints its steps. */
const SEEDS = 100;
const ONE_SEED = process.env["PIX_SIM_SEED"];

describe.each(ONE_SEED === undefined ? [SEEDS] : [])(
  "processes that share a state",
  { timeout: 120_000 },
  (seeds) => {
    let system: TeamSystem;
    beforeAll(async () => {
      system = await loadTeam();
    });

    it("keep their promises whatever fails, at any moment", async () => {
      const met = await runTeamSeeds(system, seeds);
      const missing = RARE_TEAM_STATES.filter((state) => !met.has(state));
      expect(missing, "never reached").toEqual([]);
    });

    it("repeat every step of a seed", () => compareTeamRuns(system, 3));
  },
);

it.each(ONE_SEED === undefined ? [] : [ONE_SEED])(
  "the seed %s is run again, and its steps are printed",
  async (seed) => {
    const run = await runTeamSeed(await loadTeam(), Number(seed));
    process.stdout.write(`${run.steps.join("\n")}\n`);
    expect(run.violation).toBeUndefined();
  },
);

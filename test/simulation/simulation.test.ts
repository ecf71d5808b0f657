import { beforeAll, describe, expect, it } from "vitest";
import { runSeed } from "./run.ts";
import { compareRuns, runSeeds } from "./seeds.ts";
import { loadSystem, type System } from "./system.ts";

/** The first seeds; test/long/simulation.test.ts runs many more. PIX_SIM_SEED=s runs one and prints its steps. */
const SEEDS = 80;
const ONE_SEED = process.env["PIX_SIM_SEED"];

describe.each(ONE_SEED === undefined ? [SEEDS] : [])(
  "the gateway, its state and its deliveries",
  { timeout: 120_000 },
  (seeds) => {
    let system: System;
    beforeAll(async () => {
      system = await loadSystem();
    });

    it("keep their promises whatever fails, at any moment", async () => {
      expect((await runSeeds(system, seeds)).size).toBeGreaterThan(0);
    });

    it("repeat every step of a seed", () => compareRuns(system, 5));
  },
);

it("a defect cannot be planted in place of a text that is not in the source", async () => {
  await expect(loadSystem([{ text: "no such text", instead: "" }])).rejects.toThrow(
    "stands there 0 times",
  );
});

it.each(ONE_SEED === undefined ? [] : [ONE_SEED])(
  "the seed %s is run again, and its steps are printed",
  async (seed) => {
    const run = await runSeed(await loadSystem(), Number(seed));
    process.stdout.write(`${run.steps.join("\n")}\n`);
    expect(run.violation).toBeUndefined();
  },
);

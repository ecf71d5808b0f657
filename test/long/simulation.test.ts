import { beforeAll, describe, expect, it } from "vitest";
import { DEFECTS } from "../simulation/defects.ts";
import { runSeed } from "../simulation/run.ts";
import { breath, compareRuns, runSeeds } from "../simulation/seeds.ts";
import { loadSystem, type System } from "../simulation/system.ts";

/** So many seeds reach every state below. PIX_SIM_SEEDS=n runs more of them. */
const ENOUGH_SEEDS = 2000;
const SEEDS = Number(process.env["PIX_SIM_SEEDS"] ?? ENOUGH_SEEDS);
const LONG_MS = 60_000 + SEEDS * 500;

/** The seeds prove nothing about a state that none of them reaches. */
const RARE_STATES = [
  "answer lost by a fault",
  "changes accepted again",
  "crash during a compaction",
  "crash inside an opening",
  "delivery retried over a crash",
  "expired right before it was paid",
  "held call released",
  "incomplete line passed over",
  "journal failed",
  "key used anew after its retention",
  "ladder exhausted",
  "opening refused",
  "paid at the last moment",
  "payout canceled by its rival",
  "payout refused for its rival",
  "power lost with bytes unsynced",
  "refused for a full disk",
  "compaction failed",
  "repeated while under way",
  "reset answered",
  "reset forgotten that was never answered",
  "reset kept that was never answered",
  "stopped in good order",
  "stopped while the state file was written",
  "webhook arrived, answer lost",
  "webhook received twice",
  "webhook's record read after a restart",
];

describe("the gateway, its state and its deliveries", { timeout: LONG_MS }, () => {
  let system: System;
  beforeAll(async () => {
    system = await loadSystem();
  });

  it("keep their promises whatever fails, at any moment", async () => {
    const met = await runSeeds(system, SEEDS);
    const missing = RARE_STATES.filter((state) => !met.has(state));
    if (SEEDS >= ENOUGH_SEEDS) expect(missing, "never reached").toEqual([]);
  });

  it("repeat every step of a seed", () => compareRuns(system, 30));
});

describe("a planted defect", { timeout: LONG_MS }, () => {
  it.each(DEFECTS)("is found: $name", async ({ name, plantings, breaks }) => {
    const system = await loadSystem(plantings);
    for (let seed = 1; seed <= ENOUGH_SEEDS; seed++) {
      const { violation } = await runSeed(system, seed);
      if (violation) return expect(breaks).toContain(violation.invariant);
      await breath();
    }
    throw new Error(`None of ${ENOUGH_SEEDS} seeds finds it: ${name}.`);
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import type { Chronicle } from "./chronicle.ts";
import { DEFECTS } from "./defects.ts";
import { runSeed } from "./run.ts";
import { loadSystem, type System } from "./system.ts";

/** PIX_SIM_SEEDS=n runs more of them, PIX_SIM_SEED=s that one alone, and prints its steps. */
const ORDINARY_SEEDS = 2000;
const SEEDS = Number(process.env["PIX_SIM_SEEDS"] ?? ORDINARY_SEEDS);
const ONE_SEED = process.env["PIX_SIM_SEED"];
const LONG_MS = 60_000 + SEEDS * 500;

/** What would be proved of nothing if it never came up. */
const RARE_STATES = [
  "answer lost by a fault",
  "changes accepted again",
  "crash inside a renewal",
  "crash inside an opening",
  "delivery retried over a crash",
  "expired right before it was paid",
  "held call released",
  "journal failed",
  "key used anew after its retention",
  "ladder exhausted",
  "opening refused",
  "paid at the last moment",
  "payout canceled by its rival",
  "payout refused for its rival",
  "power lost with bytes unsynced",
  "refused for a full disk",
  "renewal failed",
  "repeated while under way",
  "reset answered",
  "reset forgotten that was never answered",
  "reset kept that was never answered",
  "stopped in good order",
  "stopped while the state file was written",
  "torn tail cut",
  "webhook arrived, answer lost",
  "webhook received twice",
  "webhook's record read after a restart",
];

describe.skipIf(ONE_SEED !== undefined)("the gateway, its state and its deliveries", () => {
  let system: System;
  beforeAll(async () => {
    system = await loadSystem();
  });

  it(
    "hold what they promise, whatever fails, and whenever",
    async () => {
      const met = new Set<string>();
      for (let seed = 1; seed <= SEEDS; seed++) {
        const run = await runSeed(system, seed);
        if (run.violation) throw new Error(storyOf(seed, run));
        for (const what of run.met) met.add(what);
        await breath();
      }
      if (SEEDS >= ORDINARY_SEEDS)
        expect(
          RARE_STATES.filter((what) => !met.has(what)),
          "never reached",
        ).toEqual([]);
    },
    LONG_MS,
  );

  it(
    "go the same way whenever a seed is run, step by step",
    async () => {
      const other = await loadSystem();
      for (let seed = 1; seed <= 30; seed++) {
        const first = await runSeed(system, seed);
        const second = await runSeed(other, seed);
        expect(second.steps).toEqual(first.steps);
        expect(second.digest).toBe(first.digest);
      }
    },
    LONG_MS,
  );
});

describe.skipIf(ONE_SEED !== undefined)("a defect that is planted", () => {
  it.each(DEFECTS)(
    "is found: $name",
    async ({ name, plantings, breaks }) => {
      const system = await loadSystem(plantings);
      for (let seed = 1; seed <= ORDINARY_SEEDS; seed++) {
        const { violation } = await runSeed(system, seed);
        if (violation) return expect(breaks).toContain(violation.invariant);
        await breath();
      }
      throw new Error(`None of ${ORDINARY_SEEDS} seeds finds it: ${name}.`);
    },
    LONG_MS,
  );

  it("is planted in the place of a text that stands in the source once", async () => {
    await expect(loadSystem([{ text: "no such text", instead: "" }])).rejects.toThrow(
      "stands there 0 times",
    );
  });
});

describe.runIf(ONE_SEED !== undefined)("one seed", () => {
  it("is run again, and its steps are printed", async () => {
    const run = await runSeed(await loadSystem(), Number(ONE_SEED));
    process.stdout.write(`${run.steps.join("\n")}\n`);
    expect(run.violation).toBeUndefined();
  });
});

/** What a failure says. */
function storyOf(seed: number, { violation, ending }: Chronicle): string {
  return [
    `Seed ${seed}: it does not hold that ${violation?.invariant}. ${violation?.what}`,
    `To see all of its steps: PIX_SIM_SEED=${seed} npx vitest run test/simulation`,
    "What led there (seconds, step):",
    ending,
  ].join("\n");
}

/** Lets whoever runs the tests hear of it. */
function breath(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

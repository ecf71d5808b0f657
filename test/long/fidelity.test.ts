import { describe, expect, it } from "vitest";
import { driftMistakes } from "../support/recorded-variant.ts";
import { probeSeeds } from "../support/variant-probe.ts";
import { lacks } from "../support/lacks.ts";

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);

// In the short form, test/fidelity/variants.test.ts is enough.
describe.skipIf(lacks("the long form"))("a probe of hidden gateways", () => {
  it.each([{ hasReceiver: false }, { hasReceiver: true }])(
    "names their choices, with webhooks: $hasReceiver",
    async ({ hasReceiver }) => {
      const tally = await probeSeeds(SEEDS, { jobs: 12, speed: 1, hasReceiver });
      expect(tally.mistakes).toEqual([]);
      expect(tally.missed / tally.observable).toBeLessThanOrEqual(0.05);
      expect(tally.mostCalls).toBeLessThanOrEqual(120);
      // On a busy machine, many gateways in one process are slow. Alone they must not be.
      const again = await probeSeeds(tally.slow, { jobs: 1, speed: 1, hasReceiver });
      expect(again.slow).toEqual([]);
    },
    3_600_000,
  );
});

// In the short form, test/fidelity/drift.test.ts is enough.
describe.skipIf(lacks("the long form"))("drift of recorded gateways", () => {
  it("finds every difference that their recordings show, and no other", async () => {
    const mistakes: string[] = [];
    for (const seed of SEEDS.slice(0, 50)) mistakes.push(...(await driftMistakes(seed)));
    expect(mistakes).toEqual([]);
  }, 1_800_000);
});

import { expect, it } from "vitest";
import { probeSeeds } from "../support/variant-probe.ts";

// test/long probes 200 seeds.
it("claims nothing wrong of hidden gateways, and reports each deviation that it sees", async () => {
  const seeds = [1, 2, 4, 7, 8, 13];
  const { mistakes, mostCalls } = await probeSeeds(seeds, {
    jobs: seeds.length,
    speed: 3,
    hasReceiver: false,
  });
  expect(mistakes).toEqual([]);
  expect(mostCalls).toBeLessThanOrEqual(120);
});

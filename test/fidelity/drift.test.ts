import { describe, expect, it } from "vitest";
import { differencesBetween, driftOf, liveAgain, recordDay } from "../support/recorded-variant.ts";

describe("drift", { timeout: 60_000 }, () => {
  // test/long has 50 of them.
  it.each([0, 1, 2, 3])(
    "finds what a recording of hidden gateway %i shows, and no more",
    async (seed) => {
      const recorded = await recordDay(seed);
      const day = await liveAgain(recorded.recording, {});
      const { differences } = await driftOf(recorded, {});
      const found = differences.map(({ call, webhook, path }) => `${call} ${webhook} ${path}`);
      expect(found.toSorted()).toEqual(differencesBetween(recorded.recording, day));
    },
  );
});

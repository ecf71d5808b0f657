import { describe, expect, it } from "vitest";
import { live, loadStore } from "./log-rule.ts";

/** PIX_RULE_LIVES=n runs more of them. */
const LIVES = Number(process.env["PIX_RULE_LIVES"] ?? 2000);
/** Otherwise the model would prove little. */
const isOften = (count: number): boolean => count > LIVES / 100;

describe(
  "a file of the log counts up to where the next one begins",
  { timeout: 60_000 + LIVES * 10 },
  () => {
    it("whatever fails and whenever a process ends: nothing acknowledged is lost, no start is refused", async () => {
      const happened = await live(await loadStore(), { seed: 1, lives: LIVES });
      for (const what of ["failed append", "recovery", "refusal", "timer"])
        expect([what, happened[what]]).toEqual([what, expect.toSatisfy(isOften)]);
    });
  },
);

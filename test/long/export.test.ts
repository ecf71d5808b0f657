import { beforeAll, describe, expect, it } from "vitest";
import { loadSystem, type System } from "../simulation/system.ts";
import { EXPORT_FORMATS, runExport } from "../support/exports.ts";
import { runMainJson, serveMain } from "../support/main.ts";
import { serveSimulated } from "../support/simulated-state.ts";

const { PIX_EXPORT_SEEDS, PIX_TEST_LONG } = process.env;
/** PIX_EXPORT_SEEDS=n exports n runs. */
const RUNS = Number(PIX_EXPORT_SEEDS ?? (PIX_TEST_LONG === "short" ? 5 : 50));

describe("the exports of simulated runs", { timeout: 60_000 + RUNS * 60_000 }, () => {
  let system: System;
  beforeAll(async () => {
    system = await loadSystem();
  });

  it("pass as they stand in a fresh sandbox", async () => {
    let transactions = 0;
    for (let seed = 1, runs = 0; runs < RUNS; seed++) {
      await using simulated = await serveSimulated(system, seed);
      // A reset can leave nothing.
      if (simulated.transactions === 0) continue;
      runs += 1;
      transactions += simulated.transactions;
      for (const format of EXPORT_FORMATS) {
        const { url } = simulated.sandbox;
        const args = ["export", "--as", format, "--url", url];
        const { text, notes } = await runMainJson<{ text: string; notes: readonly string[] }>(args);
        const left = notes.filter((note) => note.startsWith("Steps that do not pass"));
        expect(left, `seed ${seed}`).toEqual([]);
        await using fresh = await serveMain(["--memory"]);
        const { passes, output } = await runExport(format, text, fresh.url);
        expect(passes ? "" : output, `seed ${seed} as ${format}`).toBe("");
      }
    }
    expect(transactions).toBeGreaterThan(RUNS);
  });
});

import type { AssumptionChanges } from "../../src/core/assumptions/table.ts";
import type { Change } from "../../src/core/state/records.ts";
import { openStateFile } from "../../src/store/file/state-file.ts";
import { Chance } from "../simulation/chance.ts";
import { drawPlan } from "../simulation/plan.ts";
import { runSeed } from "../simulation/run.ts";
import type { System } from "../simulation/system.ts";
import { createFolder } from "./folder.ts";
import { serveMain, type ServingMain } from "./main.ts";

/** The sandbox that a simulated run leaves behind, served from a state file of its records. */
export interface SimulatedSandbox extends AsyncDisposable {
  readonly sandbox: ServingMain;
  readonly transactions: number;
}

/** Runs a seed, and serves its records at rest. */
export async function serveSimulated(system: System, seed: number): Promise<SimulatedSandbox> {
  let rows: Change = {};
  const { violation } = await runSeed(system, seed, (records) => {
    rows = records.toChange();
  });
  if (violation) throw new Error(`Seed ${seed}: ${violation.what}`);
  const folder = await createFolder();
  const file = folder.at("state.json");
  const store = await openStateFile(file);
  store.commit(rows);
  await store.durable();
  await store.close();
  const { assumptions } = drawPlan(new Chance(seed));
  const sandbox = await serveMain([
    "--state",
    file,
    "--clock",
    "frozen",
    ...toOptions(assumptions),
  ]);
  return {
    sandbox,
    transactions: (rows.payins?.length ?? 0) + (rows.payouts?.length ?? 0),
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function toOptions(assumptions: AssumptionChanges): string[] {
  return Object.entries(assumptions).flatMap(([name, choice]) => [
    "--assume",
    `${name}=${String(choice)}`,
  ]);
}

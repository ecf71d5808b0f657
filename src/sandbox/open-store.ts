import type { Snapshots, Store } from "../core/ports.ts";
import { Records } from "../core/state/records.ts";
import { MemorySnapshots, MemoryStore } from "../store/memory.ts";
import type { SandboxOptions } from "./options.ts";
import type { Report } from "./report.ts";
import { RealTimer } from "./timer.ts";

/** How many finished deliveries are stored by default. */
export const DEFAULT_DELIVERIES = 10_000;

/** Opens the store that the options choose: memory, or a state file, whose code is loaded only then. */
export async function openStore(
  { stateFile, durability, strictState, keepDeliveries = DEFAULT_DELIVERIES }: SandboxOptions,
  report: Report,
): Promise<Store> {
  if (stateFile === undefined) return new MemoryStore(new Records(keepDeliveries));
  const { openStateFile } = await import("../store/state-file.ts");
  return openStateFile(stateFile, {
    durability,
    strict: strictState,
    keepDeliveries,
    timer: new RealTimer(),
    report,
  });
}

export async function openSnapshots({ stateFile }: SandboxOptions): Promise<Snapshots> {
  if (stateFile === undefined) return new MemorySnapshots();
  return (await import("../store/snapshot-files.ts")).openSnapshots(stateFile);
}

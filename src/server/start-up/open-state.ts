import { Records } from "../../core/state/records.ts";
import { MemorySnapshots, MemoryStore } from "../../store/memory.ts";
import type { OpenedState } from "../../store/storage.ts";
import type { Settings } from "../options/options.ts";
import type { Report } from "../activity/report.ts";
import { isShared } from "../options/state-kinds.ts";
import { RealTimer } from "./timer.ts";

/** Opens the state that the options choose: in memory, in a file, or in a database, which may take until another process ends. */
export async function openState(
  { stateFile, keepDeliveries }: Pick<Settings, "stateFile" | "keepDeliveries">,
  report: Report,
): Promise<OpenedState> {
  if (stateFile === undefined)
    return {
      store: new MemoryStore(new Records(keepDeliveries)),
      snapshots: new MemorySnapshots(),
    };
  const options = { keepDeliveries, timer: new RealTimer(), report };
  if (isShared(stateFile)) {
    const { openDatabaseState } = await import("../../store/postgres/database.ts");
    return openDatabaseState(stateFile, options);
  }
  const { openStateFile } = await import("../../store/file/open.ts");
  return openStateFile(stateFile, options);
}

import { Records } from "../../core/state/records.ts";
import { MemorySnapshots, MemoryStore } from "../../store/memory.ts";
import type { OpenedState } from "../../store/file/opened-state.ts";
import type { Settings } from "../options/options.ts";
import type { Report } from "../activity/report.ts";
import { openerOf } from "../options/state-kinds.ts";
import { RealTimer } from "./timer.ts";

/** The options that a state is opened with. */
type StateSettings = Pick<Settings, "stateFile" | "keepDeliveries">;

/** Opens the state that the options choose: in memory, or with the opener of its address. */
export async function openState(
  { stateFile, keepDeliveries }: StateSettings,
  report: Report,
): Promise<OpenedState> {
  if (stateFile === undefined)
    return {
      store: new MemoryStore(new Records(keepDeliveries)),
      snapshots: new MemorySnapshots(),
    };
  const openKind = await openerOf(stateFile);
  return openKind(stateFile, {
    keepDeliveries,
    timer: new RealTimer(),
    report,
  });
}

import { wallNowMs } from "../../platform/real-time.ts";
import type { ClockSetting } from "../../core/time/clock.ts";
import { Records } from "../../core/state/records.ts";
import { MemorySnapshots, MemoryStore } from "../../store/memory.ts";
import type { OpenedState } from "../../store/file/opened-state.ts";
import type { Settings } from "../options/options.ts";
import { StateFileError } from "../../store/errors.ts";
import { say } from "../../text/message.ts";
import type { Report } from "../activity/report.ts";
import { openerOf } from "../options/state-kinds.ts";
import { RealTimer } from "./timer.ts";

/** The options that a state is opened with. */
type StateSettings = Pick<
  Settings,
  "stateFile" | "durability" | "strictState" | "keepDeliveries" | "from"
>;

/** Opens the state that the options choose: in memory, or with the opener of its address. */
export async function openState(settings: StateSettings, report: Report): Promise<OpenedState> {
  const state = await open(settings, report);
  if (settings.from === undefined) return state;
  try {
    await fillFrom(settings.from, state);
    return state;
  } catch (error) {
    await state.store.close();
    throw error;
  }
}

/**
 * Starts a new state with the last records of a trace.
 * @throws StateFileError if the file is no trace, or the state has records
 */
async function fillFrom(file: string, { store }: OpenedState): Promise<void> {
  const { readTraceFile, recordsAt, timeAt } = await import("../trace/trace.ts");
  const trace = await readTraceFile(file);
  const records = recordsAt(trace);
  if (store.records.identity !== undefined)
    throw new StateFileError(
      say`The state has records already, so the trace ${file} was not read. Use --memory, or another file with --state.`,
    );
  store.records.continueAfter(records.lastEventNumber);
  // Its time goes on from there: what was waiting has not expired meanwhile.
  const nowMs = timeAt(trace);
  const clock: ClockSetting =
    records.clock?.mode === "frozen"
      ? { mode: "frozen", nowMs }
      : { mode: "real", offsetMs: nowMs - wallNowMs() };
  store.commit({ ...records.toChange(), clock });
  await store.durable();
}

async function open(
  { stateFile, durability, strictState, keepDeliveries }: StateSettings,
  report: Report,
): Promise<OpenedState> {
  if (stateFile === undefined)
    return {
      store: new MemoryStore(new Records(keepDeliveries)),
      snapshots: new MemorySnapshots(),
    };
  const openKind = await openerOf(stateFile);
  return openKind(stateFile, {
    durability,
    strict: strictState,
    keepDeliveries,
    timer: new RealTimer(),
    report,
  });
}

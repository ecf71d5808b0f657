import { Records } from "../../core/state/records.ts";
import type { OpenedState, Storage } from "../../store/storage.ts";
import { type Message, say } from "../../text/message.ts";
import type { Settings } from "../options/options.ts";
import type { Report } from "../activity/report.ts";
import { isShared } from "../options/state-kinds.ts";
import { RealTimer } from "./timer.ts";

/** Opens the state that the options choose: in memory, in a file, or in a database, which may take until another process ends. */
export async function openState(
  { stateFile, keepDeliveries }: Pick<Settings, "stateFile" | "keepDeliveries">,
  report: Report,
): Promise<OpenedState> {
  if (stateFile === undefined) {
    const { MemorySnapshots, MemoryStore } = await import("../../store/memory.ts");
    return {
      store: new MemoryStore(new Records(keepDeliveries)),
      snapshots: new MemorySnapshots(),
    };
  }
  const storage = await openStorage(stateFile, report, (text) =>
    report(say`${text} This process waits until it ends.`),
  );
  const { openStored } = await import("../../store/store.ts");
  return openStored(storage, { keepDeliveries, timer: new RealTimer(), report });
}

/**
 * Opens a state in a file or a database.
 * @param onWait called if another process uses the database; unless it throws, the function waits
 * @param isSource whether it is only read: then nothing is created in a database
 */
export async function openStorage(
  state: string,
  report: Report,
  onWait: (text: Message) => void,
  isSource = false,
): Promise<Storage> {
  if (isShared(state))
    return (await import("../../store/postgres/database.ts")).Database.open(
      state,
      onWait,
      isSource,
    );
  return (await import("../../store/file/open.ts")).openFolder(state, report);
}

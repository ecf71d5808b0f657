import type { Journal, State } from "../core/ports.ts";

/** Reads the last compacted state of a journal and applies all later entries to it. */
export async function readAll(journal: Pick<Journal, "readState" | "read">): Promise<State> {
  const state = await journal.readState();
  const { records } = state;
  await journal.read(state.sequence, ({ sequence, lastEventNumber, change }) => {
    records.apply(change);
    records.continueAfter(lastEventNumber);
    state.sequence = sequence;
  });
  return state;
}

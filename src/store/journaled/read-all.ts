import type { Journal, JournalEntry, State } from "../../core/state/ports.ts";
import { Records } from "../../core/state/records.ts";

/**
 * Reads the last compacted state of a journal and applies all later entries to it.
 * @param keepDeliveries how many finished deliveries are stored; default: all
 */
export async function readAll(
  journal: Pick<Journal, "readState" | "read">,
  keepDeliveries?: number,
): Promise<State> {
  const state = { records: new Records(keepDeliveries), sequence: 0 };
  await journal.readState(state);
  await journal.read(state.sequence, (entry) => applyEntry(state, entry));
  return state;
}

/** Applies an entry to the state before it. */
export function applyEntry(
  state: State,
  { sequence, lastEventNumber, change }: JournalEntry,
): void {
  state.records.apply(change);
  state.records.continueAfter(lastEventNumber);
  state.sequence = sequence;
}

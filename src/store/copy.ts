import { StateExistsError, StateFileError, unwritable } from "./errors.ts";
import { StoredSnapshots } from "./snapshots.ts";
import { STATE, type Storage } from "./storage.ts";
import { readState, writeState } from "./store.ts";
import type { State } from "../core/state/ports.ts";
import { say } from "../text/message.ts";

/**
 * Copies a state and its snapshots to a storage where none may be.
 * @returns the state, and how many snapshots there are
 * @throws StateFileError if something cannot be read, StateExistsError, StorageError if the copy cannot be written; then
 * there is no state at `to`
 */
export async function copyStorage(
  from: Storage,
  to: Storage,
): Promise<{ readonly state: State; readonly snapshots: number }> {
  const state = await readState(from);
  if (!state) throw new StateFileError(say`There is no state at ${from.placeOf(STATE)}.`);
  const [source, target] = [new StoredSnapshots(from), new StoredSnapshots(to)];
  const keys = await source.list(null);
  const unreadable = (await from.documents()).length - keys.length;
  if (unreadable > 0)
    throw new StateFileError(
      say`${unreadable} of ${unreadable + keys.length} snapshots cannot be read, so nothing was copied. Delete the damaged ones and try again.`,
    );
  // Snapshots alone are what a copy leaves that was killed.
  if (await readState(to)) throw stateExists(to.placeOf(STATE));
  try {
    for (const key of keys) {
      const loaded = await source.load(key);
      if (loaded) await target.save(loaded.snapshot, loaded.rows);
    }
    // It comes last: without it there is no state.
    await writeState(to, state);
  } catch (error) {
    for (const key of keys) await target.delete(key).catch(() => undefined);
    throw unwritable(to.placeOf(STATE), error);
  }
  return { state, snapshots: keys.length };
}

export function stateExists(place: string): StateExistsError {
  return new StateExistsError(
    say`There is a state at ${place}. Nothing was changed. Choose another place, or delete it first.`,
  );
}

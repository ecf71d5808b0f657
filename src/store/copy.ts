import { noState, StateExistsError, unwritable } from "./errors.ts";
import { type State, STATE, type Storage } from "./storage.ts";
import { StateDocument } from "./store.ts";

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
  const [source, target] = [new StateDocument(from), new StateDocument(to)];
  const place = to.placeOf(STATE);
  if (!(await source.readAll())) throw noState(from.placeOf(STATE));
  // Snapshots alone are what a copy leaves that was killed.
  if (await target.readAll()) throw new StateExistsError(place);
  const snapshots = await from.documents();
  const written: string[] = [];
  try {
    for (const name of snapshots) {
      const pieces: Buffer[] = [];
      for await (const piece of (await from.read(name)) ?? []) pieces.push(piece);
      // In one piece: others may end within a character.
      await to.write(name, [Buffer.concat(pieces)]);
      written.push(name);
    }
    // It comes last: without it there is no state.
    await target.write(source.state);
  } catch (error) {
    for (const name of written) await to.remove(name).catch(() => undefined);
    throw unwritable(place, error);
  }
  return { state: source.state, snapshots: snapshots.length };
}

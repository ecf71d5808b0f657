import type { Snapshot, Snapshots, State } from "../../core/state/ports.ts";
import type { Change } from "../../core/state/records.ts";
import { StateFileError } from "../errors.ts";
import { say } from "../../text/message.ts";

/** A state as it is copied from one place to another. */
export interface Copy {
  readonly state: State;
  readonly snapshots: readonly { readonly snapshot: Snapshot; readonly rows: Change }[];
}

/**
 * Reads all snapshots, of all integrations.
 * @param count how many are stored
 * @throws StateFileError if one of them cannot be read: a copy would lack it
 */
export async function readSnapshots(
  snapshots: Snapshots,
  count: number,
): Promise<Copy["snapshots"]> {
  const read: { snapshot: Snapshot; rows: Change }[] = [];
  for (const key of await snapshots.list(null)) {
    const one = await snapshots.load(key);
    if (one) read.push(one);
  }
  if (read.length === count) return read;
  throw new StateFileError(
    say`${count - read.length} of ${count} snapshots cannot be read, so nothing was copied. Delete the damaged ones and try again.`,
  );
}

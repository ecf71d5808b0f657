import type { Snapshot, Snapshots, State } from "../core/ports.ts";
import type { Change } from "../core/state/records.ts";

/** A state as it is copied from one place to another. */
export interface Copy {
  readonly state: State;
  readonly snapshots: readonly { readonly snapshot: Snapshot; readonly rows: Change }[];
}

/** Reads all snapshots, of all integrations. */
export async function readSnapshots(snapshots: Snapshots): Promise<Copy["snapshots"]> {
  const read: { snapshot: Snapshot; rows: Change }[] = [];
  for (const key of await snapshots.list(null)) {
    const one = await snapshots.load(key);
    if (one) read.push(one);
  }
  return read;
}

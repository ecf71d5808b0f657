import { type Change, type Lists, Records } from "../core/state/records.ts";
import type { Snapshot, SnapshotKey, Snapshots, Store } from "../core/state/ports.ts";
import { snapshotsOf } from "./storage.ts";

/** A store without persistence: a change is durable as soon as it is applied. */
export class MemoryStore implements Store {
  readonly records: Records;
  readonly isDegraded = false;
  readonly isDurable = true;

  constructor(records = new Records()) {
    this.records = records;
  }

  commit(change: Change): void {
    this.records.apply(change);
  }

  async durable(): Promise<void> {}

  async close(): Promise<void> {}
}

/** Snapshots in memory. Rows are immutable, so a snapshot refers to them. */
export class MemorySnapshots implements Snapshots {
  readonly #all = new Map<string, { readonly snapshot: Snapshot; readonly rows: Lists }>();

  async save(snapshot: Snapshot, rows: Lists): Promise<void> {
    this.#all.set(keyOf(snapshot), { snapshot, rows });
  }

  async load(key: SnapshotKey): Promise<{ snapshot: Snapshot; rows: Lists } | undefined> {
    return this.#all.get(keyOf(key));
  }

  async list(integration: string | null): Promise<readonly Snapshot[]> {
    return snapshotsOf(
      [...this.#all.values()].map(({ snapshot }) => snapshot),
      integration,
    );
  }

  async delete(key: SnapshotKey): Promise<boolean> {
    return this.#all.delete(keyOf(key));
  }
}

function keyOf({ integration, name }: SnapshotKey): string {
  return JSON.stringify([integration, name]);
}

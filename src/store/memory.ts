import { type Change, type Lists, Records } from "../core/state/records.ts";
import type { Snapshot, SnapshotKey, Snapshots, Store } from "../core/state/ports.ts";

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
  readonly #snapshots = new Map<string, { readonly snapshot: Snapshot; readonly rows: Lists }>();

  async save(snapshot: Snapshot, rows: Lists): Promise<void> {
    this.#snapshots.set(toText(snapshot), { snapshot, rows });
  }

  async load(key: SnapshotKey): Promise<{ snapshot: Snapshot; rows: Lists } | undefined> {
    return this.#snapshots.get(toText(key));
  }

  async list(integration: string | null): Promise<readonly Snapshot[]> {
    const all = [...this.#snapshots.values()].map(({ snapshot }) => snapshot);
    return all
      .filter((one) => integration === null || one.integration === integration)
      .toSorted(byIntegrationAndName);
  }

  async delete(key: SnapshotKey): Promise<boolean> {
    return this.#snapshots.delete(toText(key));
  }
}

/** Sorts by integration, then by name. Snapshots of all integrations come first. */
export function byIntegrationAndName(one: SnapshotKey, other: SnapshotKey): number {
  const [first, second] = [toText(one), toText(other)];
  return first < second ? -1 : Number(first > second);
}

function toText({ integration, name }: SnapshotKey): string {
  return `${integration === null ? "" : `=${integration}`}\n${name}`;
}

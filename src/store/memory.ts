import type { Change } from "../core/state/records.ts";
import { Records } from "../core/state/records.ts";
import type { Snapshot, SnapshotKey, Snapshots, Store } from "../core/ports.ts";
import { setImmediate } from "../platform/real-time.ts";

/** Keeps nothing beyond the process: what is applied is as durable as it gets. */
export class MemoryStore implements Store {
  readonly records: Records;
  readonly isDegraded = false;
  #turn: Promise<void> | undefined;

  constructor(records = new Records()) {
    this.records = records;
  }

  commit(change: Change): void {
    this.records.apply(change);
  }

  /** Answers of one turn of the event loop leave together: waking once for all of them is what makes it fast. */
  durable(): Promise<void> {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = undefined;
        resolve();
      });
    });
    return this.#turn;
  }

  async close(): Promise<void> {}
}

/** Rows do not change: a snapshot is the rows themselves. */
export class MemorySnapshots implements Snapshots {
  readonly #kept = new Map<string, { readonly snapshot: Snapshot; readonly rows: Change }>();

  async save(snapshot: Snapshot, rows: Change): Promise<void> {
    this.#kept.set(toText(snapshot), { snapshot, rows });
  }

  async load(key: SnapshotKey): Promise<{ snapshot: Snapshot; rows: Change } | undefined> {
    return this.#kept.get(toText(key));
  }

  async list(integration: string | null): Promise<readonly Snapshot[]> {
    const all = [...this.#kept.values()].map(({ snapshot }) => snapshot);
    return all
      .filter((one) => integration === null || one.integration === integration)
      .toSorted(byIntegrationAndName);
  }

  async delete(key: SnapshotKey): Promise<boolean> {
    return this.#kept.delete(toText(key));
  }
}

/** Those of all come first. */
export function byIntegrationAndName(one: SnapshotKey, other: SnapshotKey): number {
  const [first, second] = [toText(one), toText(other)];
  return first < second ? -1 : Number(first > second);
}

function toText({ integration, name }: SnapshotKey): string {
  return `${integration === null ? "" : `=${integration}`}\n${name}`;
}

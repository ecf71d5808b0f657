import type { Delivery } from "./webhooks/delivery.ts";
import type { Change, Records } from "./state/records.ts";
import { LocalizedError } from "./errors.ts";

/** Where records are kept. Memory is the truth that is read; the store makes it durable. */
export interface Store {
  readonly records: Records;
  /**
   * Applies a change to the records at once; it becomes durable soon.
   * @throws StorageError where changes cannot be kept any more.
   */
  commit(change: Change): void;
  /**
   * Resolves when all that is applied so far is durable: what an answer reports may not be forgotten.
   * Rejects with a StorageError where some of it could not be kept.
   */
  durable(): Promise<void>;
  /** Called when changes that were applied could not be kept and are put back, before anybody reads again. */
  onRollback?: (() => void) | undefined;
  /** Whether changes are refused now: the disk takes none, and reads are answered from memory. */
  readonly isDegraded: boolean;
  /** Called when changes are accepted again after they were refused. */
  onRecovered?: (() => void) | undefined;
  close(): Promise<void>;
}

/** What a snapshot is of: its name is one of its integration, or of the sandbox where that is null. */
export interface SnapshotKey {
  readonly name: string;
  readonly integration: string | null;
}

/** A snapshot in short. */
export interface Snapshot extends SnapshotKey {
  /** Sandbox time. */
  readonly takenAtMs: number;
  readonly payins: number;
  readonly payouts: number;
  readonly deliveries: number;
}

/** Where records are kept as they were at some time, until somebody asks for them again; a reset leaves them alone. */
export interface Snapshots {
  /**
   * Keeps the rows, in place of those of an earlier snapshot by that name.
   * @throws StorageError where they cannot be written.
   */
  save(snapshot: Snapshot, rows: Change): Promise<void>;
  /**
   * A snapshot and its rows; undefined where there is none.
   * @throws GatewayError NOT_PROCESSABLE where what is there is none that can be read.
   */
  load(key: SnapshotKey): Promise<{ snapshot: Snapshot; rows: Change } | undefined>;
  /** Those of one integration, or all where it is null, by integration and name. */
  list(integration: string | null): Promise<readonly Snapshot[]>;
  /** @returns whether there was one. */
  delete(key: SnapshotKey): Promise<boolean>;
}

/** The store cannot write a change, so the change is not acknowledged. */
export class StorageError extends LocalizedError {
  override readonly name: string = "StorageError";
}

/** Snapshots cannot be written or listed. The store itself still accepts changes. */
export class SnapshotError extends StorageError {
  override readonly name = "SnapshotError";
}

/** One real timer, for whatever falls due next. */
export interface Timer {
  /** Rings once, `delayMs` real milliseconds from now; a ring that was set before is forgotten. */
  set(delayMs: number, ring: () => void): void;
  clear(): void;
}

/** Who carries webhooks out. */
export interface WebhookSender {
  /** Makes the next attempt of a delivery; how it ends is recorded with the gateway. */
  start(delivery: Delivery): void;
  /**
   * Makes one more attempt, whatever the delivery's status, and resolves once it is recorded.
   * Rejects with a StorageError where it cannot be.
   */
  resend(delivery: Delivery): Promise<void>;
  /** Resolves when the attempts that are waiting or in flight now have ended, whatever begins meanwhile. */
  underWay(): Promise<void>;
  /**
   * Gives up what waits and ends what is in flight, of one integration or of all where it is null: when
   * this returns nothing of it leaves any more, and how it ends is not recorded.
   */
  drop(integration: string | null): void;
  /** Resolves when no attempt, of one integration or of all where it is null, is waiting or in flight. */
  idle(integration: string | null): Promise<void>;
}

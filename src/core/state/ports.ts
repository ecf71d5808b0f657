import type { Delivery } from "../records/delivery.ts";
import type { Change, Lists, Records } from "./records.ts";
import { LocalizedError } from "../records/errors.ts";

/** Stores the records. Reads come from memory; the store makes the changes durable. */
export interface Store {
  readonly records: Records;
  /**
   * Applies a change to the records at once. It becomes durable soon.
   * @throws StorageError if changes cannot be stored now.
   */
  commit(change: Change): void;
  /** Whether all changes so far are durable: a response that reports them need not wait. */
  readonly isDurable: boolean;
  /**
   * Resolves when all changes so far are durable. A response waits for it.
   * Rejects with a StorageError if some of them could not be stored.
   */
  durable(): Promise<void>;
  /** Whether changes are refused now, because the last ones could not be stored. Reads still work. */
  readonly isDegraded: boolean;
  /** Called when changes are accepted again. */
  onRecovered?: (() => void) | undefined;
  close(): Promise<void>;
}

/** Identifies a snapshot. A null `integration` means all integrations. */
export interface SnapshotKey {
  readonly name: string;
  readonly integration: string | null;
}

/** A snapshot without its records. */
export interface Snapshot extends SnapshotKey {
  /** In sandbox time. */
  readonly takenAtMs: number;
  readonly payins: number;
  readonly payouts: number;
  readonly deliveries: number;
}

/** Named copies of records that can be restored. A reset does not delete them. */
export interface Snapshots {
  /**
   * Saves the rows, replacing an earlier snapshot with the same key.
   * @throws SnapshotError if they cannot be written.
   */
  save(snapshot: Snapshot, rows: Lists): Promise<void>;
  /**
   * Loads a snapshot and its rows; undefined if it does not exist.
   * @throws GatewayError NOT_PROCESSABLE if it cannot be read.
   */
  load(key: SnapshotKey): Promise<{ snapshot: Snapshot; rows: Lists } | undefined>;
  /** The snapshots of one integration (`null`: all snapshots), by integration and name. */
  list(integration: string | null): Promise<readonly Snapshot[]>;
  /** @returns whether it existed. */
  delete(key: SnapshotKey): Promise<boolean>;
}

/** The store cannot write a change, so the change is not acknowledged. */
export class StorageError extends LocalizedError {
  override readonly name: string = "StorageError";
}

/** The process may not answer now: another one leads, or will. */
export class NotLeadingError extends StorageError {
  override readonly name = "NotLeadingError";
}

/** Snapshots cannot be written or listed. The store itself still accepts changes. */
export class SnapshotError extends StorageError {
  override readonly name = "SnapshotError";
}

/** The right of one of several processes to answer. It runs out unless it is confirmed again and again. */
export interface Lease {
  /** Whether this process may answer now. */
  readonly isHeld: boolean;
  /** Resolves if another process has it, for good. */
  readonly replaced: Promise<void>;
  /** Called when it is held again after it had run out. */
  onRegained?: (() => void) | undefined;
  /**
   * Runs what answers a call.
   * @throws NotLeadingError if the lease is not held before, or runs out until the end: the outcome is then unknown
   */
  guard<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A single real timer. */
export interface Timer {
  /** Calls `ring` once, after `delayMs` real milliseconds. Replaces an earlier call. */
  set(delayMs: number, ring: () => void): void;
  clear(): void;
}

/** Sends webhooks. */
export interface WebhookSender {
  /** Makes the next attempt of a delivery, and records its outcome with the gateway. */
  start(delivery: Delivery): void;
  /**
   * Makes one more attempt, whatever the delivery's status. Resolves when the outcome is recorded.
   * Rejects with a StorageError if it cannot be stored.
   */
  resend(delivery: Delivery): Promise<void>;
  /** Resolves when the attempts that are waiting or in flight now have ended. Later ones do not count. */
  underWay(): Promise<void>;
  /**
   * Cancels the waiting attempts and aborts those in flight, of one integration (`null`: of all). Nothing is sent
   * after it returns, and no outcome is recorded.
   */
  drop(integration: string | null): void;
  /** Resolves when no attempt of one integration (`null`: of any) is waiting or in flight. */
  idle(integration: string | null): Promise<void>;
}

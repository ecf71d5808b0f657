import type { Delivery } from "./delivery.ts";
import type { Change, Records } from "./records.ts";

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
  onPutBack?: (() => void) | undefined;
  close(): Promise<void>;
}

/** What cannot be written cannot be acknowledged. */
export class StorageError extends Error {
  override readonly name = "StorageError";
}

/** One real timer, for whatever falls due next. */
export interface Alarm {
  /** Rings once, `delayMs` real milliseconds from now; a ring that was set before is forgotten. */
  set(delayMs: number, ring: () => void): void;
  clear(): void;
}

/** Who carries webhooks out. */
export interface Courier {
  /** Makes the next attempt of a delivery; how it ends is recorded with the gateway. */
  start(delivery: Delivery): void;
  /**
   * Makes one more attempt, whatever the delivery's status, and resolves once it is recorded.
   * Rejects with a StorageError where it cannot be.
   */
  resend(delivery: Delivery): Promise<void>;
  /** Resolves when the attempts that are waiting or in flight now have ended, whatever begins meanwhile. */
  underWay(): Promise<void>;
  /** Resolves when no attempt, of one integration or of all where it is null, is waiting or in flight. */
  idle(integration: string | null): Promise<void>;
}

import type { Snapshots, Store } from "../../core/state/ports.ts";
import type { JournaledStoreOptions } from "../journaled/journaled-store.ts";

/** What a sandbox stores. */
export interface OpenedState {
  /** Closing it ends the use of the snapshots too. */
  readonly store: Store;
  readonly snapshots: Snapshots;
}

/**
 * Opens the state at an address; creates it if it does not exist.
 * @throws StateFileError if the state cannot be read; nothing is changed then. StateInUseError if another process uses
 * it. StorageError if it cannot be written.
 */
export type OpenState = (address: string, options: JournaledStoreOptions) => Promise<OpenedState>;

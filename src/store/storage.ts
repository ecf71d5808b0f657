import type { Lease, Snapshot, Snapshots, Store } from "../core/state/ports.ts";
import type { Records } from "../core/state/records.ts";
import type { JournalEntry } from "./text/lines.ts";

/** The records, and the position of the last commit that was applied to them. */
export interface State {
  readonly records: Records;
  sequence: number;
}

/** The document that holds the state. All others are snapshots. */
export const STATE = "state";

/**
 * Where a state is stored: documents, each replaced as a whole or not at all, and a log of lines. A folder is one
 * implementation, a database another. Only one process has it open.
 */
export interface Storage {
  /** The right to use it, if other processes may have it too. Without one, a clean stop merges the log into the state. */
  readonly lease?: Lease;
  /** What a document is called in messages. */
  placeOf(document: string): string;
  /** Explains why it cannot be opened. Errors of the store stay as they are. */
  explain(error: unknown): Error;
  /** The content of a document in pieces; undefined if it does not exist. */
  read(document: string): Promise<AsyncIterable<Buffer> | undefined>;
  /**
   * Replaces a document.
   * @param pieces each is valid until the next one
   * @param untilSafe is awaited before the new content takes the place of the old one; if it rejects, nothing changes
   * @returns its size in bytes
   */
  write(document: string, pieces: Iterable<Buffer>, untilSafe?: Promise<void>): Promise<number>;
  /** @returns whether it existed */
  remove(document: string): Promise<boolean>;
  /** The names of all documents but the state. */
  documents(): Promise<readonly string[]>;
  /**
   * Reads the entries of the log that count, after a position, in order. Changes nothing.
   * @throws StateFileError if the log is damaged
   */
  readLog(after: number, onEntry: OnEntry): Promise<void>;
  /**
   * Entries are appended after `position` from now on. Whatever the log has after it was never acknowledged, and counts
   * no more. Called after everything was read, before a compaction, and after a failed append. Not while `append` runs.
   */
  startLog(position: number): Promise<void>;
  /** Appends whole lines. Resolves when they are durable; rejects unless all of them are known to be. One call at a time. */
  append(lines: Buffer, count: number): Promise<void>;
  /** Drops entries up to a position that the state contains, as far as that is cheap. */
  dropLog(to: number): Promise<void>;
  close(): Promise<void>;
}

export type OnEntry = (entry: JournalEntry, bytes: number) => void;

/** What a sandbox stores. */
export interface OpenedState {
  /** Closing it ends the use of the snapshots too. */
  readonly store: Store;
  readonly snapshots: Snapshots;
  readonly lease?: Lease | undefined;
}

/** Those of one integration (`null`: all), by integration and name. Those of all integrations come first. */
export function snapshotsOf(all: Iterable<Snapshot>, integration: string | null): Snapshot[] {
  const keyOf = ({ integration: owner, name }: Snapshot): string =>
    `${owner === null ? "" : `=${owner}`}\n${name}`;
  return [...all]
    .filter((one) => integration === null || one.integration === integration)
    .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

/** Sizes at which the store does something else. */
export interface StoreLimits {
  /** The state file is written anew when the journal holds more than it, and more than this: what a start after a crash reads in a second or two. */
  readonly journalBytes: number;
  /** A larger file is not written for few changes. */
  readonly smallFileBytes: number;
  /** What V8 can hold in one string: a line, or a file that is not laid out a record a line. */
  readonly textBytes: number;
  /** How much memory for lines of the journal is held after a burst. */
  readonly heldBytes: number;
}

export const STORE_LIMITS: StoreLimits = {
  journalBytes: 256 << 20,
  smallFileBytes: 8 << 20,
  textBytes: 2 ** 29 - 24,
  heldBytes: 1 << 22,
};

/** Sizes at which the store changes its behavior. */
export interface StoreLimits {
  /** The journal is compacted when it is larger than the state file and than this, which a start reads in a second or two. */
  readonly journalBytes: number;
  /** A state file that is larger is not rewritten for few changes. */
  readonly smallFileBytes: number;
  /** The longest string of V8: for a line, or for a file without one record per line. */
  readonly textBytes: number;
  /** The largest buffer for journal lines that is kept after a burst. */
  readonly heldBytes: number;
}

export const STORE_LIMITS: StoreLimits = {
  journalBytes: 256 << 20,
  smallFileBytes: 8 << 20,
  textBytes: 2 ** 29 - 24,
  heldBytes: 1 << 22,
};

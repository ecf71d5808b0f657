/** Sizes and times at which the store changes its behavior. */
export interface StoreLimits {
  /** The journal is compacted when it is larger than this and than the compacted state. A start reads this much in one or two seconds. */
  readonly journalBytes: number;
  /** A larger state is not compacted for only a few changes. */
  readonly smallStateBytes: number;
  /** The longest string of V8. A line must fit in it, and so must a file that does not have one record per line. */
  readonly textBytes: number;
  /** A larger buffer for journal lines is freed after a burst. */
  readonly heldBytes: number;
  /** How long commits that no caller waits for are collected. A crash loses them. */
  readonly pauseMs: number;
}

export const STORE_LIMITS: StoreLimits = {
  journalBytes: 256 << 20,
  smallStateBytes: 8 << 20,
  textBytes: 2 ** 29 - 24,
  heldBytes: 1 << 22,
  pauseMs: 10,
};

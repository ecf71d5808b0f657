/** The relation of sandbox time to real time; stored with the state. */
export type ClockSetting =
  | { readonly mode: "real"; readonly offsetMs: number }
  | { readonly mode: "frozen"; readonly nowMs: number };

/** The machine's clocks, in milliseconds. */
export interface MachineClocks {
  /** Epoch time of the system clock. It can be set forward and back. */
  readonly wallNowMs: () => number;
  /** From an arbitrary start. It never goes back, and may stand still while the machine is suspended. */
  readonly monotonicNowMs: () => number;
}

/** Differences between the two clocks up to these are drift and rounding, not a step of the wall clock. */
const MAX_DIFFERENCE_MS = 10;
const MAX_DRIFT = 0.001;

/**
 * Returns real time that never goes back. It follows a forward step of the wall clock at once, such as the one
 * after a suspension. After a backward step it runs on with the monotonic clock until the wall clock has caught up.
 * @param notBeforeMs the earliest time it starts at
 */
export function forwardOnly(
  { wallNowMs, monotonicNowMs }: MachineClocks,
  notBeforeMs = Number.NEGATIVE_INFINITY,
): () => number {
  let nowMs = Math.max(wallNowMs(), notBeforeMs);
  let readAtMs = monotonicNowMs();
  return () => {
    // Read before and after the wall clock: a pause in between must not look like a backward step.
    const monotonicMs = monotonicNowMs();
    const passedMs = monotonicMs - readAtMs;
    const wallMs = wallNowMs();
    if (nowMs + passedMs - wallMs > MAX_DIFFERENCE_MS + passedMs * MAX_DRIFT) {
      nowMs += passedMs;
      readAtMs = monotonicMs;
    } else {
      nowMs = Math.max(nowMs, wallMs);
      readAtMs = monotonicNowMs();
    }
    return Math.floor(nowMs);
  };
}

/** The sandbox's time: real, moved by an offset, or frozen. */
export class Clock {
  /** The setting that a reset restores. */
  readonly start: ClockSetting;
  readonly #realNowMs: () => number;
  #setting: ClockSetting;

  /**
   * @param realNowMs real time that never goes back, see {@link forwardOnly}
   * @param start the setting without what an earlier run has stored
   */
  constructor(
    realNowMs: () => number,
    setting: ClockSetting = { mode: "real", offsetMs: 0 },
    start = setting,
  ) {
    this.#realNowMs = realNowMs;
    this.start = start;
    this.#setting = setting;
  }

  /** Applies a setting, even one that is earlier than now. */
  set(setting: ClockSetting): void {
    this.#setting = setting;
  }

  get setting(): ClockSetting {
    return this.#setting;
  }

  get mode(): ClockSetting["mode"] {
    return this.#setting.mode;
  }

  nowMs(): number {
    return this.nowMsBy(this.#setting);
  }

  /** The time that a setting gives now. */
  nowMsBy(setting: ClockSetting): number {
    return setting.mode === "frozen" ? setting.nowMs : this.#realNowMs() + setting.offsetMs;
  }

  /** Real milliseconds until sandbox time `atMs`; infinite on a frozen clock before that time. */
  realMsUntil(atMs: number): number {
    const waitMs = Math.max(0, atMs - this.nowMs());
    return this.mode === "frozen" && waitMs > 0 ? Number.POSITIVE_INFINITY : waitMs;
  }

  freeze(): void {
    this.#setting = { mode: "frozen", nowMs: this.nowMs() };
  }

  /** Resumes time from where it is frozen. */
  resume(): void {
    this.#setting = { mode: "real", offsetMs: this.nowMs() - this.#realNowMs() };
  }

  /** Moves time forward to `atMs`; does nothing if `atMs` has passed. */
  moveTo(atMs: number): void {
    const stepMs = Math.max(0, atMs - this.nowMs());
    this.#setting =
      this.#setting.mode === "frozen"
        ? { mode: "frozen", nowMs: this.#setting.nowMs + stepMs }
        : { mode: "real", offsetMs: this.#setting.offsetMs + stepMs };
  }
}

export function isSameSetting(one: ClockSetting, other: ClockSetting | undefined): boolean {
  return one.mode === "frozen"
    ? other?.mode === "frozen" && one.nowMs === other.nowMs
    : other?.mode === "real" && one.offsetMs === other.offsetMs;
}

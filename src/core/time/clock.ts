/** The relation of sandbox time to real time; stored with the state. */
export type ClockSetting =
  | { readonly mode: "real"; readonly offsetMs: number }
  | { readonly mode: "frozen"; readonly nowMs: number };

/** The machine's clocks, in milliseconds. */
interface MachineClocks {
  /** Epoch time of the system clock. It can be set forward and back. */
  readonly wallNowMs: () => number;
  /** From an arbitrary start. It never goes back, and may stand still while the machine is suspended. */
  readonly monotonicNowMs: () => number;
}

/** The wall clock was not set back if it is only so far behind: that is drift. */
const MAX_DRIFT_MS = 10;

/**
 * Returns real time that never goes back. It follows the wall clock, also forward after a suspension. If the wall
 * clock is set back, it runs on with the monotonic clock until the wall clock has caught up.
 * @param notBeforeMs the earliest time it starts at
 */
export function forwardOnly(
  { wallNowMs, monotonicNowMs }: MachineClocks,
  notBeforeMs = Number.NEGATIVE_INFINITY,
): () => number {
  let nowMs = Math.max(wallNowMs(), notBeforeMs);
  let readAtMs = monotonicNowMs();
  return () => {
    const wallMs = wallNowMs();
    const monotonicMs = monotonicNowMs();
    const isSetBack = nowMs - wallMs > MAX_DRIFT_MS;
    nowMs = isSetBack ? nowMs + monotonicMs - readAtMs : Math.max(nowMs, wallMs);
    readAtMs = monotonicMs;
    return Math.floor(nowMs);
  };
}

/** The sandbox's time: real, moved by an offset, or frozen. */
export class Clock {
  /** The setting that a reset restores. */
  readonly start: ClockSetting;
  readonly #realNowMs: () => number;
  setting: ClockSetting;

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
    this.setting = setting;
  }

  get mode(): ClockSetting["mode"] {
    return this.setting.mode;
  }

  nowMs(): number {
    return this.nowMsBy(this.setting);
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
    this.setting = { mode: "frozen", nowMs: this.nowMs() };
  }

  /** Resumes time from where it is frozen. */
  resume(): void {
    this.setting = { mode: "real", offsetMs: this.nowMs() - this.#realNowMs() };
  }

  /** Moves time forward to `atMs`; does nothing if `atMs` has passed. */
  moveTo(atMs: number): void {
    const stepMs = Math.max(0, atMs - this.nowMs());
    const { setting } = this;
    this.setting =
      setting.mode === "frozen"
        ? { mode: "frozen", nowMs: setting.nowMs + stepMs }
        : { mode: "real", offsetMs: setting.offsetMs + stepMs };
  }
}

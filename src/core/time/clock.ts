/** The relation of sandbox time to real time; stored with the state. */
export type ClockSetting =
  | { readonly mode: "real"; readonly offsetMs: number }
  | { readonly mode: "frozen"; readonly nowMs: number };

/** The wall clock was not set back if it is only so far behind: that is drift. */
const MAX_DRIFT_MS = 10;

/**
 * Returns real time that never goes back, from `notBeforeMs` on. It follows the wall clock, also after a suspension,
 * in which the monotonic clock may stand still. If the wall clock is set back, it runs on with the monotonic clock
 * until the wall clock has caught up.
 */
export function forwardOnly(
  wallNowMs: () => number,
  monotonicNowMs: () => number,
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
  setting: ClockSetting;
  /** The setting that a reset restores: without what an earlier run has stored. */
  readonly start: ClockSetting;
  readonly #realNowMs: () => number;

  constructor(realNowMs: () => number, setting: ClockSetting, start = setting) {
    this.setting = setting;
    this.start = start;
    this.#realNowMs = realNowMs;
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

  freeze(): void {
    this.setting = { mode: "frozen", nowMs: this.nowMs() };
  }

  /** Resumes time from where it is frozen. */
  resume(): void {
    this.setting = { mode: "real", offsetMs: this.nowMs() - this.#realNowMs() };
  }

  /** Moves time forward to `atMs`; does nothing if `atMs` has passed. */
  moveTo(atMs: number): void {
    const stepMs = atMs - this.nowMs();
    if (stepMs <= 0) return;
    const { setting } = this;
    this.setting =
      setting.mode === "frozen"
        ? { mode: "frozen", nowMs: atMs }
        : { mode: "real", offsetMs: setting.offsetMs + stepMs };
  }
}

/** How the sandbox's time stands to real time; kept with the state. */
export type ClockSetting =
  | { readonly mode: "real"; readonly offsetMs: number }
  | { readonly mode: "frozen"; readonly nowMs: number };

/** The sandbox's time: real, moved by an offset, or frozen. */
export class Clock {
  /** How it was set when the sandbox started. */
  readonly start: ClockSetting;
  readonly #realNowMs: () => number;
  #setting: ClockSetting;

  constructor(realNowMs: () => number, setting: ClockSetting = { mode: "real", offsetMs: 0 }) {
    this.#realNowMs = realNowMs;
    this.start = setting;
    this.#setting = setting;
  }

  /** Time is from now on what a setting says, be it earlier. */
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

  /** What time it would be by a setting. */
  nowMsBy(setting: ClockSetting): number {
    return setting.mode === "frozen" ? setting.nowMs : this.#realNowMs() + setting.offsetMs;
  }

  /** How many real milliseconds until the sandbox's time is `atMs`; infinite on a frozen clock before that time. */
  realMsUntil(atMs: number): number {
    const waitMs = Math.max(0, atMs - this.nowMs());
    return this.mode === "frozen" && waitMs > 0 ? Number.POSITIVE_INFINITY : waitMs;
  }

  /** Time stands still from now on. */
  freeze(): void {
    this.#setting = { mode: "frozen", nowMs: this.nowMs() };
  }

  /** Time goes on from where it stands. */
  resume(): void {
    this.#setting = { mode: "real", offsetMs: this.nowMs() - this.#realNowMs() };
  }

  /** Moves time forward to `atMs`, or not at all where that has passed. */
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

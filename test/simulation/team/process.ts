import type { Lease, Store } from "../../../src/core/state/ports.ts";
import type { Leadership } from "../../../src/store/postgres/leadership.ts";
import type { Mortal, SimulatedTime } from "../time.ts";

interface SimulatedTimer {
  isCleared: boolean;
  id: string;
}

/** The process whose code runs now. */
export interface Running {
  process: TeamProcess | undefined;
}

/** A process with its own clock. While it is paused, what is due for it waits. */
export class TeamProcess implements Mortal {
  readonly name: string;
  isDead = false;
  isPaused = false;
  /** While it is cut from the database: when that ends. */
  cutUntilMs = 0;
  /** What it answers with while it leads. */
  leading: { readonly store: Store; readonly lease: Lease } | undefined;
  leadership: Leadership | undefined;
  /** The number with which it has claimed the journal last. */
  writer = 0;
  readonly #time: SimulatedTime;
  readonly #running: Running;
  /** How fast its clock is, compared to the database's. */
  readonly #rate: number;
  #held: { readonly act: () => void; readonly isTimer: boolean }[] = [];

  constructor(
    name: string,
    { time, running, rate }: { time: SimulatedTime; running: Running; rate: number },
  ) {
    this.name = name;
    this.#time = time;
    this.#running = running;
    this.#rate = rate;
  }

  get nowMs(): number {
    return this.#time.passedMs * this.#rate;
  }

  /** Whether it believes that it may respond. */
  get isHeld(): boolean {
    if (this.isDead || !this.leadership) return false;
    const before = this.#running.process;
    this.#running.process = this;
    const { isHeld } = this.leadership;
    this.#running.process = before;
    return isHeld;
  }

  /** Lets its code handle an event. */
  run(act: () => void, isTimer = false): void {
    if (this.isDead) return;
    if (this.isPaused) {
      this.#held.push({ act, isTimer });
      return;
    }
    this.#running.process = this;
    act();
  }

  setTimeout(act: () => void, delayMs: number): SimulatedTimer {
    const timer: SimulatedTimer = { isCleared: false, id: "" };
    const ring = (): void => {
      if (!timer.isCleared) act();
    };
    timer.id = this.#time.after(delayMs / this.#rate, () => this.run(ring, true), this);
    return timer;
  }

  clear(timer: SimulatedTimer | undefined): void {
    if (!timer) return;
    timer.isCleared = true;
    this.#time.clear(timer.id);
  }

  /** Goes on after a pause, with the timers or with the network first. */
  resume(areTimersFirst: boolean): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    const held = this.#held;
    this.#held = [];
    for (const isTimer of [areTimersFirst, !areTimersFirst])
      for (const event of held)
        if (event.isTimer === isTimer)
          this.#time.after(0, () => this.run(event.act, isTimer), this);
  }
}

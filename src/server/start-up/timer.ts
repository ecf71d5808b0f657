import type { Timer } from "../../core/state/ports.ts";
import {
  clearImmediate,
  clearTimeout,
  setImmediate,
  setTimeout,
} from "../../platform/real-time.ts";

/** Node fires a timer with a longer delay at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** A real timer. It does not keep the process alive. */
export class RealTimer implements Timer {
  readonly #maxDelayMs: number;
  #timeout: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  /** @param maxDelayMs the longest delay; a longer one rings early, and the callback sets the timer again */
  constructor(maxDelayMs = MAX_DELAY_MS) {
    this.#maxDelayMs = maxDelayMs;
  }

  set(delayMs: number, ring: () => void): void {
    this.clear();
    if (delayMs <= 0) this.#immediate = setImmediate(ring);
    else this.#timeout = setTimeout(ring, Math.min(Math.ceil(delayMs), this.#maxDelayMs)).unref();
  }

  clear(): void {
    clearTimeout(this.#timeout);
    clearImmediate(this.#immediate);
  }
}

import type { Alarm } from "./core/ports.ts";
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from "./real-time.ts";

/** A longer timer would ring at once; whoever set it looks again and sets another. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The one timer of the process that sandbox time hangs on. */
export class RealAlarm implements Alarm {
  #timeout: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  set(delayMs: number, ring: () => void): void {
    this.clear();
    if (delayMs <= 0) this.#immediate = setImmediate(ring);
    else this.#timeout = setTimeout(ring, Math.min(Math.ceil(delayMs), MAX_DELAY_MS));
  }

  clear(): void {
    clearTimeout(this.#timeout);
    clearImmediate(this.#immediate);
  }
}

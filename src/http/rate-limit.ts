import { monotonicNowMs } from "../platform/real-time.ts";
import { tooManyRequests } from "./refusals.ts";

const MINUTE_MS = 60_000;

/** How many requests each integration made within the last minute of real time. */
export class RateLimit {
  readonly #nowMs: () => number;
  /** When each of those requests was let through, the oldest first. */
  readonly #passed = new Map<string, number[]>();

  /** @param nowMs real time, from any beginning, that never goes back */
  constructor(nowMs: () => number = monotonicNowMs) {
    this.#nowMs = nowMs;
  }

  /**
   * Lets one more request through; one that is refused is not counted.
   * @throws HttpRefusal 429 where `perMinute` were let through within the minute that ends now.
   */
  pass(integration: string, perMinute: number): void {
    const nowMs = this.#nowMs();
    const passed = this.#passed.get(integration) ?? [];
    this.#passed.set(integration, passed);
    const first = passed.findIndex((atMs) => atMs > nowMs - MINUTE_MS);
    passed.splice(0, first === -1 ? passed.length : first);
    const inTheWay = passed.at(-perMinute);
    if (inTheWay !== undefined)
      throw tooManyRequests(perMinute, Math.ceil((inTheWay + MINUTE_MS - nowMs) / 1000));
    passed.push(nowMs);
  }
}

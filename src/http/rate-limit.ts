import { monotonicNowMs } from "../platform/real-time.ts";
import { tooManyRequests } from "./answers/refusals.ts";

const MINUTE_MS = 60_000;

/** Counts the calls of each integration within the last minute of real time. */
export class RateLimit {
  readonly #nowMs: () => number;
  /** When each of those calls was admitted, the oldest first. */
  readonly #admitted = new Map<string, number[]>();

  /** @param nowMs monotonic real time */
  constructor(nowMs: () => number = monotonicNowMs) {
    this.#nowMs = nowMs;
  }

  /**
   * Counts one more call; a refused call is not counted.
   * @returns when the call was admitted, for {@link withdraw}
   * @throws HttpRefusal 429 if `perMinute` calls were admitted within the minute that ends now.
   */
  admit(integration: string, perMinute: number): number {
    const nowMs = this.#nowMs();
    const admitted = this.#admitted.get(integration) ?? [];
    this.#admitted.set(integration, admitted);
    const first = admitted.findIndex((atMs) => atMs > nowMs - MINUTE_MS);
    admitted.splice(0, first === -1 ? admitted.length : first);
    const inTheWay = admitted.at(-perMinute);
    if (inTheWay !== undefined)
      throw tooManyRequests(perMinute, Math.ceil((inTheWay + MINUTE_MS - nowMs) / 1000));
    admitted.push(nowMs);
    return nowMs;
  }

  /** Removes a call from the count, because it turned out to be a repeat. */
  withdraw(integration: string, admittedAtMs: number): void {
    const admitted = this.#admitted.get(integration) ?? [];
    const index = admitted.lastIndexOf(admittedAtMs);
    if (index !== -1) admitted.splice(index, 1);
  }
}

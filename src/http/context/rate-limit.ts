import { monotonicNowMs } from "../../platform/real-time.ts";
import { type HttpRefusal, tooManyRequests } from "../calls/refusals.ts";
import { say } from "../../text/message.ts";

const MINUTE_MS = 60_000;

/** Counts the calls of each integration, or of any other key, within the last minute of real time. */
export class RateLimit {
  readonly #nowMs: () => number;
  /** When each of those calls was admitted, the oldest first. The key that was admitted last comes last. */
  readonly #admitted = new Map<string, number[]>();

  /** @param nowMs monotonic real time */
  constructor(nowMs: () => number = monotonicNowMs) {
    this.#nowMs = nowMs;
  }

  /**
   * Counts one more call; a refused call is not counted.
   * @param refuse creates the refusal of a call that must wait for some seconds
   * @returns when the call was admitted, for {@link withdraw}
   * @throws HttpRefusal 429 if `perMinute` calls were admitted within the minute that ends now.
   */
  admit(key: string, perMinute: number, refuse = tooMany): number {
    const nowMs = this.#nowMs();
    this.#dropOld(nowMs);
    const admitted = this.#admitted.get(key) ?? [];
    const first = admitted.findIndex((atMs) => atMs > nowMs - MINUTE_MS);
    admitted.splice(0, first === -1 ? admitted.length : first);
    const inTheWay = admitted.at(-perMinute);
    if (inTheWay !== undefined)
      throw refuse(perMinute, Math.ceil((inTheWay + MINUTE_MS - nowMs) / 1000));
    admitted.push(nowMs);
    this.#admitted.delete(key);
    this.#admitted.set(key, admitted);
    return nowMs;
  }

  /** Removes a call from the count, because it turned out to be a repeat. */
  withdraw(key: string, admittedAtMs: number): void {
    const admitted = this.#admitted.get(key) ?? [];
    const index = admitted.lastIndexOf(admittedAtMs);
    if (index !== -1) admitted.splice(index, 1);
  }

  /** Forgets the keys of which no call was admitted within the last minute. */
  #dropOld(nowMs: number): void {
    for (const [key, admitted] of this.#admitted) {
      if ((admitted.at(-1) ?? 0) > nowMs - MINUTE_MS) return;
      this.#admitted.delete(key);
    }
  }
}

/** Of the assumption `rate_limit.per_minute`. */
function tooMany(perMinute: number, seconds: number): HttpRefusal {
  const text = say`More than ${perMinute} requests within a minute. Try again in ${seconds} s.`;
  return tooManyRequests(text, seconds);
}

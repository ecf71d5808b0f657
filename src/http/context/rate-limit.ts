import { monotonicNowMs } from "../../platform/real-time.ts";
import { type Message, say } from "../../text/message.ts";
import { HttpRefusal } from "../calls/refusals.ts";

const MINUTE_MS = 60_000;

/** Counts the calls of each integration, or of any other key, within the last minute of real time. */
export class RateLimit {
  readonly #nowMs: () => number;
  readonly #toText: (perMinute: number, seconds: number) => Message;
  /** When each of those calls was admitted, the oldest first. */
  readonly #admitted = new Map<string, readonly number[]>();

  /**
   * @param nowMs monotonic real time
   * @param toText says why a call is refused that must wait for some seconds
   */
  constructor(nowMs: () => number = monotonicNowMs, toText = tooMany) {
    this.#nowMs = nowMs;
    this.#toText = toText;
  }

  /**
   * Counts one more call; a refused call is not counted.
   * @throws HttpRefusal 429 if `perMinute` calls were admitted within the minute that ends now.
   */
  admit(key: string, perMinute: number): void {
    const nowMs = this.#nowMs();
    const earlier = this.#admitted.get(key) ?? [];
    const admitted = earlier.filter((atMs) => atMs > nowMs - MINUTE_MS);
    const inTheWay = admitted.at(-perMinute);
    if (inTheWay !== undefined) {
      const seconds = Math.ceil((inTheWay + MINUTE_MS - nowMs) / 1000);
      const headers = { "retry-after": String(seconds) };
      throw new HttpRefusal(429, this.#toText(perMinute, seconds), { headers });
    }
    this.#admitted.set(key, [...admitted, nowMs]);
  }
}

/** Of the assumption `rate_limit.per_minute`. */
function tooMany(perMinute: number, seconds: number): Message {
  return say`More than ${perMinute} requests within a minute. Try again in ${seconds} s.`;
}

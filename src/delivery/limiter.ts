import { parseUrl } from "./parse-url.ts";
import { ConcurrencyLimiter, type Place } from "./concurrency-limiter.ts";

/**
 * The maximum of attempts in flight for one integration: once for addresses that responded last time, once for all
 * others. So no integration waits for the receivers of another, and no working receiver waits for one that hangs.
 */
const PER_INTEGRATION = 2048;
/** For one origin: enough that a few hanging paths do not delay the others, few enough for a slow server. */
const PER_ORIGIN = { first: 32, most: 64 };
/** For one address. */
const PER_ADDRESS = { first: 2, most: 16 };
/** The maximum number, and length, of stored addresses that responded last time. */
const MAX_REMEMBERED = 4096;
const MAX_REMEMBERED_LENGTH = 2048;

/**
 * Limits the attempts in flight. An address is the full `webhook_url` of one integration: paths of one origin, and
 * integrations that share a URL, do not share places.
 */
export class AttemptLimiter {
  readonly #addresses = new ConcurrencyLimiter({
    inAll: Number.POSITIVE_INFINITY,
    each: PER_ADDRESS,
  });
  /** Two for each integration: for addresses that responded last time, and for the others. */
  readonly #limiters = new Map<string, ConcurrencyLimiter>();
  /** The addresses that responded last time, the least recent first. */
  readonly #answered = new Set<string>();

  /** Resolves when an attempt may begin. The caller must leave the place afterwards. */
  enter({ integration, url }: { integration: string; url: string }): Promise<Place> {
    const { origin } = parseUrl(url);
    const address = `${url} ${integration}`;
    // One promise for both places: callbacks are cheaper.
    return new Promise((resolve) => {
      this.#addresses.enter(address, (atAddress) => {
        const name = `${this.#answered.has(address) ? "answered" : "other"} ${integration}`;
        const limiter = this.#limiterOf(name);
        limiter.enter(origin, (atOrigin) =>
          resolve({
            makeWay: () => {
              atAddress.makeWay();
              atOrigin.makeWay();
            },
            leave: (how) => {
              if (how) this.#remember(address, how.isAnswered);
              atAddress.leave(how);
              atOrigin.leave(how);
              if (limiter.isEmpty) this.#limiters.delete(name);
            },
          }),
        );
      });
    });
  }

  #limiterOf(name: string): ConcurrencyLimiter {
    let limiter = this.#limiters.get(name);
    if (!limiter) {
      limiter = new ConcurrencyLimiter({ inAll: PER_INTEGRATION, each: PER_ORIGIN });
      this.#limiters.set(name, limiter);
    }
    return limiter;
  }

  #remember(address: string, isAnswered: boolean): void {
    this.#answered.delete(address);
    if (!isAnswered || address.length > MAX_REMEMBERED_LENGTH) return;
    this.#answered.add(address);
    const [oldest] = this.#answered;
    if (this.#answered.size > MAX_REMEMBERED && oldest !== undefined) this.#answered.delete(oldest);
  }
}

import { ConcurrencyLimiter, type Place } from "./concurrency-limiter.ts";

/**
 * How many attempts of one integration are in flight at once to addresses that answered last time, and
 * how many to all others. Each integration has both for itself, so none waits for another's receivers;
 * and what answered last time does not wait for what hangs.
 */
const PER_INTEGRATION = 2048;
/** To one origin: enough that a few paths that hang delay no other, and few enough for a slow server. */
const PER_ORIGIN = { first: 32, most: 64 };
/** To one address. */
const PER_ADDRESS = { first: 2, most: 16 };
/** How many addresses that answered last time are remembered, and how long their text may be. */
const MAX_REMEMBERED = 4096;
const MAX_REMEMBERED_LENGTH = 2048;

/**
 * Limits how many attempts are in flight at once. An address is one integration's `webhook_url`, as a
 * whole: paths of one origin, and integrations that share a URL, have places of their own.
 */
export class AttemptLimiter {
  readonly #addresses = new ConcurrencyLimiter({
    inAll: Number.POSITIVE_INFINITY,
    each: PER_ADDRESS,
  });
  /** By integration, one for addresses that answered last time and one for the others. */
  readonly #limiters = new Map<string, ConcurrencyLimiter>();
  /** The addresses that answered last time, the one that answered longest ago first. */
  readonly #answered = new Set<string>();

  /** Resolves once an attempt may begin; the caller leaves the place afterwards. */
  async enter({ integration, url }: { integration: string; url: string }): Promise<Place> {
    const { origin } = new URL(url);
    const address = `${url} ${integration}`;
    const atAddress = await this.#addresses.enter(address);
    const name = `${this.#answered.has(address) ? "answered" : "other"} ${integration}`;
    const limiter =
      this.#limiters.get(name) ??
      new ConcurrencyLimiter({ inAll: PER_INTEGRATION, each: PER_ORIGIN });
    this.#limiters.set(name, limiter);
    const atOrigin = await limiter.enter(origin);
    return {
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
    };
  }

  #remember(address: string, isAnswered: boolean): void {
    this.#answered.delete(address);
    if (!isAnswered || address.length > MAX_REMEMBERED_LENGTH) return;
    this.#answered.add(address);
    const [oldest] = this.#answered;
    if (this.#answered.size > MAX_REMEMBERED && oldest !== undefined) this.#answered.delete(oldest);
  }
}

/** Lets the holders of each key in, a few at a time, in the order in which they came. */
export class Limiter {
  readonly #most: number;
  /** The number of holders by key. */
  readonly #inside = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** @param most how many holders a key may have at once */
  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when there is a place. @returns a function that releases it, to be called once */
  async enter(key: string): Promise<() => void> {
    const inside = this.#inside.get(key) ?? 0;
    if (inside < this.#most) this.#inside.set(key, inside + 1);
    else await new Promise<void>((resolve) => this.#queueOf(key).push(resolve));
    return () => this.#leave(key);
  }

  #queueOf(key: string): (() => void)[] {
    const queue = this.#waiting.get(key) ?? [];
    this.#waiting.set(key, queue);
    return queue;
  }

  #leave(key: string): void {
    const next = this.#waiting.get(key)?.shift();
    // It gets the place of the one that leaves.
    if (next) return next();
    this.#waiting.delete(key);
    const inside = (this.#inside.get(key) ?? 0) - 1;
    if (inside > 0) this.#inside.set(key, inside);
    else this.#inside.delete(key);
  }
}

/** The longest delay of a timer in Node.js. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Timers in the variant's seconds, of which `speed` pass in a real one. */
export class Timers {
  readonly #speed: number;
  readonly #pending = new Set<NodeJS.Timeout>();
  #isStopped = false;

  constructor(speed: number) {
    this.#speed = speed;
  }

  /** The variant's seconds since some moment. */
  now(): number {
    return (performance.now() / 1000) * this.#speed;
  }

  /** Acts once, after that many of the variant's seconds; returns what prevents it. */
  after(seconds: number, act: () => void): () => void {
    const delayMs = Math.ceil((seconds * 1000) / this.#speed);
    if (this.#isStopped || delayMs > MAX_DELAY_MS) return () => {};
    const timer = setTimeout(() => {
      this.#pending.delete(timer);
      act();
    }, delayMs);
    this.#pending.add(timer);
    return () => {
      clearTimeout(timer);
      this.#pending.delete(timer);
    };
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#pending) clearTimeout(timer);
    this.#pending.clear();
  }
}

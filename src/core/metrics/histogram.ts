/** Upper bounds for durations in seconds: from a change in memory to a slow webhook or disk. */
export const SECONDS_BOUNDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
] as const;

/** Counts values by fixed upper bounds. An observation costs an addition and a short search. */
export class Histogram {
  readonly bounds: readonly number[];
  /** By the first bound that is not below the value; the last count is that of values above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds in ascending order */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let place = 0;
    while (place < this.bounds.length && value > (this.bounds[place] ?? 0)) place++;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#sum += value;
  }

  /** The sum of all values. */
  get sum(): number {
    return this.#sum;
  }

  /** The number of values up to each bound; the last number is that of all values. */
  get cumulative(): readonly number[] {
    let total = 0;
    return this.#counts.map((count) => (total += count));
  }
}

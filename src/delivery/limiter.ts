/** Lets the holders of each key in, a few at a time, in the order in which they came. */
export class Limiter<Holder> {
  readonly #most: number;
  readonly #admit: (holder: Holder) => void;
  /** The number of holders by key. */
  readonly #inside = new Map<string, number>();
  readonly #waiting = new Map<string, Holder[]>();

  /**
   * @param most how many holders a key may have at once
   * @param admit is called with each holder when it gets its place
   */
  constructor(most: number, admit: (holder: Holder) => void) {
    this.#most = most;
    this.#admit = admit;
  }

  enter(key: string, holder: Holder): void {
    const inside = this.#inside.get(key) ?? 0;
    if (inside < this.#most) {
      this.#inside.set(key, inside + 1);
      return this.#admit(holder);
    }
    const queue = this.#waiting.get(key);
    if (queue) queue.push(holder);
    else this.#waiting.set(key, [holder]);
  }

  /** Releases the place of a holder, to be called once for each. The next one in line gets it. */
  leave(key: string): void {
    const queue = this.#waiting.get(key);
    const next = queue?.shift();
    if (queue?.length === 0) this.#waiting.delete(key);
    if (next !== undefined) return this.#admit(next);
    const inside = (this.#inside.get(key) ?? 0) - 1;
    if (inside > 0) this.#inside.set(key, inside);
    else this.#inside.delete(key);
  }
}

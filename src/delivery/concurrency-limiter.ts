import { Queue } from "../core/state/queue.ts";

/** How many may be inside at once. */
export interface Limits {
  /** Of all together, slow ones included. */
  readonly inAll: number;
  /**
   * With one key: `first` at first, one more with each that is answered, and `first` again after one that
   * is not; slow ones do not count. Slow ones included, at most `most`.
   */
  readonly each: { readonly first: number; readonly most: number };
}

/** A place inside. */
export interface Place {
  /** Marks this one as slow: another one with its key may enter beside it. */
  makeWay(): void;
  /** Frees the place. `isAnswered`, if it was used for an attempt, says whether an answer came. */
  leave(how?: { readonly isAnswered: boolean }): void;
}

/**
 * Limits how many are inside at once. The keys take turns, so a key with a long line, or whose places are
 * held for long, delays no other key.
 */
export class ConcurrencyLimiter {
  readonly #limits: Limits;
  readonly #lines = new Map<string, Line>();
  /** The keys, in turn, of the lines whose first may enter as far as their own limits go; each key once. */
  readonly #ready = new Queue<string>();
  #inside = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Whether nothing is inside or waits. */
  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** Resolves once there is a place; whoever enters leaves. */
  enter(key: string): Promise<Place> {
    const line = this.#lines.get(key) ?? {
      inside: 0,
      slow: 0,
      allowed: this.#limits.each.first,
      waiting: new Queue(),
      isReady: false,
    };
    this.#lines.set(key, line);
    return new Promise((enter) => {
      line.waiting.add(enter);
      this.#letIn(key, line);
    });
  }

  #letIn(key: string, line: Line): void {
    this.#getReady(key, line);
    while (this.#inside < this.#limits.inAll) {
      const next = this.#ready.take();
      if (next === undefined) return;
      this.#letFirstIn(next);
    }
  }

  #letFirstIn(key: string): void {
    const line = this.#lines.get(key);
    if (!line) return;
    line.isReady = false;
    if (!this.#mayEnter(line)) return;
    const enter = line.waiting.take();
    line.inside++;
    this.#inside++;
    enter?.(this.#place(key, line));
    this.#getReady(key, line);
  }

  /** Queues a line for its next turn, unless it is queued already. */
  #getReady(key: string, line: Line): void {
    if (line.isReady || !this.#mayEnter(line)) return;
    line.isReady = true;
    this.#ready.add(key);
  }

  #mayEnter({ waiting, inside, slow, allowed }: Line): boolean {
    return waiting.size > 0 && inside - slow < allowed && inside < this.#limits.each.most;
  }

  #allowedAfter({ allowed }: Line, isAnswered: boolean): number {
    const { first, most } = this.#limits.each;
    return isAnswered ? Math.min(most, allowed + 1) : first;
  }

  #place(key: string, line: Line): Place {
    let isSlow = false;
    return {
      makeWay: () => {
        if (isSlow) return;
        isSlow = true;
        line.slow++;
        this.#letIn(key, line);
      },
      leave: (how) => {
        if (how) line.allowed = this.#allowedAfter(line, how.isAnswered);
        if (isSlow) line.slow--;
        line.inside--;
        this.#inside--;
        this.#letIn(key, line);
        if (line.inside === 0 && line.waiting.size === 0) this.#lines.delete(key);
      },
    };
  }
}

interface Line {
  inside: number;
  /** How many of those are slow. */
  slow: number;
  /** How many others may be inside. */
  allowed: number;
  readonly waiting: Queue<(place: Place) => void>;
  /** Whether it is queued for its next turn. */
  isReady: boolean;
}

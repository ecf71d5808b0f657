import { Queue } from "../core/state/queue.ts";

/** How many holders of places there may be at once. */
export interface Limits {
  /** For all keys together, slow holders included. */
  readonly inAll: number;
  /**
   * For one key: starts at `first`, grows by one with each response, and falls back to `first` after a failure. Slow
   * holders do not count, but there are at most `most` with them.
   */
  readonly each: { readonly first: number; readonly most: number };
}

/** Permission to run, until `leave`. */
export interface Place {
  /** Marks the holder as slow: another one with the same key may enter. */
  makeWay(): void;
  /** Releases the place. @param how whether the attempt got a response; absent if none was made */
  leave(how?: { readonly isAnswered: boolean }): void;
}

/**
 * Limits how many places are held at once. The keys take turns, so a key with a long queue, or with slow holders,
 * does not delay another key.
 */
export class ConcurrencyLimiter {
  readonly #limits: Limits;
  readonly #lines = new Map<string, Line>();
  /** The keys whose next in line may enter by their own limit, in turn; each key once. */
  readonly #ready = new Queue<string>();
  #inside = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Whether no place is held and nothing waits. */
  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** Calls `onEntered` when there is a place, perhaps at once. The caller must leave it. */
  enter(key: string, onEntered: (place: Place) => void): void {
    const line = this.#lines.get(key) ?? {
      inside: 0,
      slow: 0,
      allowed: this.#limits.each.first,
      waiting: new Queue(),
      isReady: false,
    };
    this.#lines.set(key, line);
    line.waiting.add(onEntered);
    this.#letIn(key, line);
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

  /** Queues a key for its next turn, unless it is already queued. */
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

/** The holders and the queue of one key. */
interface Line {
  inside: number;
  /** How many of the holders are slow. */
  slow: number;
  /** How many holders that are not slow there may be. */
  allowed: number;
  readonly waiting: Queue<(place: Place) => void>;
  /** Whether the key is queued for its next turn. */
  isReady: boolean;
}

import { Queue } from "../core/queue.ts";

/** How many may be inside at once. */
export interface Limits {
  /** Of all together, those who are slow not counted. */
  readonly inAll: number;
  /**
   * With one key: the slow ones not counted, a few at first, one more with each that is answered, and a
   * few again after one that is not; the slow ones counted, the most.
   */
  readonly each: { readonly first: number; readonly most: number };
  /** Of those who are slow and have made way for others. */
  readonly slow: number;
}

/** A place inside. */
export interface Place {
  /** Says that this one takes long: where it can, it lets another in. */
  makeWay(): void;
  /** Says, where it was for one, whether there was an answer. */
  leave(how?: { readonly isAnswered: boolean }): void;
}

/**
 * Lets so many through at once. The keys take turns, so that one with a long line, or with places that
 * are held for long, keeps nobody waiting but those with the same key.
 */
export class Gate {
  readonly #limits: Limits;
  readonly #lines = new Map<string, Line>();
  /** The keys of lines whose first may enter as far as the line itself goes, in turn. */
  readonly #ready = new Queue<string>();
  #quick = 0;
  #slow = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
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
    if (!line.isReady && this.#mayEnter(line)) {
      line.isReady = true;
      this.#ready.add(key);
    }
    while (this.#quick < this.#limits.inAll) {
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
    this.#quick++;
    enter?.(this.#place(key, line));
    if (this.#mayEnter(line)) {
      line.isReady = true;
      this.#ready.add(key);
    }
  }

  #mayEnter(line: Line): boolean {
    const { waiting, inside, slow, allowed } = line;
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
        if (isSlow || this.#slow >= this.#limits.slow) return;
        isSlow = true;
        this.#slow++;
        line.slow++;
        this.#quick--;
        this.#letIn(key, line);
      },
      leave: (how) => {
        if (how) line.allowed = this.#allowedAfter(line, how.isAnswered);
        if (isSlow) {
          this.#slow--;
          line.slow--;
        } else this.#quick--;
        line.inside--;
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
  isReady: boolean;
}

import { randomFrom } from "../support/core.ts";

/** The one stream of chance of a run: all that could go one way or another is drawn from it, in turn. */
export class Chance {
  /** From 0 up to 1. */
  readonly draw: () => number;

  constructor(seed: number) {
    this.draw = randomFrom(seed);
  }

  is(probability: number): boolean {
    return this.draw() < probability;
  }

  /** From the one up to the other. */
  between(least: number, most: number): number {
    return least + this.draw() * (most - least);
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.whole(0, items.length - 1)] as Item;
  }
}

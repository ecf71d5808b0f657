import { describe, expect, it } from "vitest";
import { Queue } from "../../../src/core/state/queue.ts";
import { randomFrom } from "../../support/core.ts";

describe("a queue", () => {
  it("is empty at first, and once all is taken", () => {
    const queue = new Queue<string>();
    expect([queue.size, queue.take(), queue.size]).toEqual([0, undefined, 0]);
    queue.add("a");
    expect([queue.size, queue.take(), queue.size]).toEqual([1, "a", 0]);
    expect([queue.take(), queue.take(), queue.size]).toEqual([undefined, undefined, 0]);
    queue.add("b");
    expect([queue.size, queue.take()]).toEqual([1, "b"]);
  });

  it("distinguishes an undefined item from none by its size", () => {
    const queue = new Queue<number | undefined>();
    queue.add(undefined);
    queue.add(1);

    expect([queue.size, queue.take(), queue.size, queue.take()]).toEqual([2, undefined, 1, 1]);
  });

  it("stays in order while it is filled and emptied by turns", () => {
    const queue = new Queue<number>();
    const random = randomFrom(5);
    const waiting: number[] = [];
    let next = 0;
    for (let step = 0; step < 20_000; step++) {
      // It fills for a while, then it is emptied, again and again.
      const isFilling = Math.floor(step / 3000) % 2 === 0;
      if (random() < (isFilling ? 0.8 : 0.3)) {
        queue.add(next);
        waiting.push(next++);
      } else if (queue.take() !== waiting.shift()) throw new Error(`out of order at step ${step}`);
      if (queue.size !== waiting.length) throw new Error(`a wrong size at step ${step}`);
    }

    expect(next).toBeGreaterThan(5000);
    while (waiting.length > 0) expect(queue.take()).toBe(waiting.shift());
    expect(queue.take()).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { Gate } from "../../src/delivery/gate.ts";
import { randomFrom, turns } from "../support/core.ts";

describe("a gate", () => {
  it("lets so many in with one key, and the next when one has left", async () => {
    const gate = new Gate({ inAll: 10, each: 2 });
    const entered = enterAll(gate, ["a", "a", "a", "a"]);
    await turns(1);
    expect(entered).toEqual([0, 1]);

    gate.leave("a");
    await turns(1);
    expect(entered).toEqual([0, 1, 2]);
  });

  it("lets so many in with any key", async () => {
    const gate = new Gate({ inAll: 3, each: 2 });
    const entered = enterAll(gate, ["a", "b", "c", "d", "e"]);
    await turns(1);
    expect(entered).toEqual([0, 1, 2]);

    gate.leave("b");
    await turns(1);
    expect(entered).toEqual([0, 1, 2, 3]);
  });

  it("keeps nobody waiting for a key that has all its places taken", async () => {
    const gate = new Gate({ inAll: 4, each: 1 });
    const entered = enterAll(gate, ["a", "a", "a", "b", "a", "c"]);
    await turns(1);

    expect(entered).toEqual([0, 3, 5]);
  });

  it("lets those who wait in by turns, over keys", async () => {
    const gate = new Gate({ inAll: 1, each: 1 });
    const keys = ["a", "b", "a", "c", "b"];
    const entered = enterAll(gate, keys);
    for (const [index, key] of keys.entries()) {
      await turns(1);
      expect(entered).toEqual([...keys.keys()].slice(0, index + 1));
      gate.leave(key);
    }
  });

  it("never lets too many in, and everybody in the end: 2,000 random comers", async () => {
    const random = randomFrom(41);
    const gate = new Gate({ inAll: 7, each: 3 });
    const inside: string[] = [];
    let hasCome = 0;
    const most = { inAll: 0, each: 0 };
    const visits = Array.from({ length: 2000 }, async () => {
      const key = String(Math.floor(random() ** 2 * 6));
      await gate.enter(key);
      hasCome++;
      inside.push(key);
      most.inAll = Math.max(most.inAll, inside.length);
      most.each = Math.max(most.each, inside.filter((one) => one === key).length);
      await turns(1 + Math.floor(random() * 3));
      inside.splice(inside.indexOf(key), 1);
      gate.leave(key);
    });
    await Promise.all(visits);

    expect({ hasCome, ...most }).toEqual({ hasCome: 2000, inAll: 7, each: 3 });
  });
});

/** Asks to enter with each key in turn, and notes whose turn came. */
function enterAll(gate: Gate, keys: readonly string[]): number[] {
  const entered: number[] = [];
  for (const [index, key] of keys.entries()) void gate.enter(key).then(() => entered.push(index));
  return entered;
}

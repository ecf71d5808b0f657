import { expect, it } from "vitest";
import { Limiter } from "../../src/delivery/limiter.ts";
import { turns } from "../support/core.ts";

it("lets so many in with one key, and the others in their order as places are released", async () => {
  const limiter = new Limiter(2);
  const entered: string[] = [];
  const leaving: (() => void)[] = [];
  const enter = (name: string, key = "a"): void =>
    void limiter.enter(key).then((leave) => {
      entered.push(name);
      leaving.push(leave);
    });
  for (const name of ["1", "2", "3", "4"]) enter(name);
  enter("other", "b");
  await turns(1);
  expect(entered.toSorted()).toEqual(["1", "2", "other"]);

  leaving[0]?.();
  await turns(1);
  expect(entered.at(-1)).toBe("3");
  leaving[1]?.();
  leaving[2]?.();
  await turns(1);
  expect(entered.at(-1)).toBe("4");
});

it("is as free as at first when all have left", async () => {
  const limiter = new Limiter(1);
  for (let round = 0; round < 3; round++) {
    const first = limiter.enter("a");
    const second = limiter.enter("a");
    (await first)();
    (await second)();
  }
  const leave = await limiter.enter("a");
  let isInside = false;
  void limiter.enter("a").then(() => (isInside = true));
  await turns(1);
  expect(isInside).toBe(false);
  leave();
  await turns(1);
  expect(isInside).toBe(true);
});

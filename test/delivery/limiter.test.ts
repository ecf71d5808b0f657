import { expect, it } from "vitest";
import { Limiter } from "../../src/delivery/limiter.ts";

it("lets so many in with one key, and the others in their order as places are released", () => {
  const admitted: string[] = [];
  const limiter = new Limiter<string>(2, (name) => admitted.push(name));
  for (const name of ["1", "2", "3", "4"]) limiter.enter("a", name);
  limiter.enter("b", "other");
  expect(admitted).toEqual(["1", "2", "other"]);

  limiter.leave("a");
  expect(admitted.at(-1)).toBe("3");
  limiter.leave("a");
  expect(admitted.at(-1)).toBe("4");
});

it("is as free as at first when all have left", () => {
  const admitted: number[] = [];
  const limiter = new Limiter<number>(1, (number) => admitted.push(number));
  for (let round = 0; round < 3; round++) {
    limiter.enter("a", round);
    limiter.enter("a", round);
    limiter.leave("a");
    limiter.leave("a");
  }
  limiter.enter("a", 3);
  limiter.enter("a", 4);
  expect(admitted).toEqual([0, 0, 1, 1, 2, 2, 3]);
});

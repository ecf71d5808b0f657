import { expect, it } from "vitest";
import { createNextTurn } from "../../src/platform/pause.ts";

it("wakes all callers of a turn together, and those of the next turn after them", async () => {
  const nextTurn = createNextTurn();
  const first = nextTurn();
  expect(nextTurn()).toBe(first);
  await first;
  const second = nextTurn();
  expect(second).not.toBe(first);
  await second;
});

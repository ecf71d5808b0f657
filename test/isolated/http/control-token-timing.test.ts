import type * as crypto from "node:crypto";
import { expect, it, vi } from "vitest";

const compared: number[][] = [];

vi.mock("node:crypto", async (importOriginal) => {
  const original = await importOriginal<typeof crypto>();
  return {
    ...original,
    timingSafeEqual: (one: Buffer, other: Buffer) => {
      compared.push([one.length, other.length]);
      return original.timingSafeEqual(one, other);
    },
  };
});

it("compares control tokens in constant time, by digests of one length", async () => {
  const { ControlToken } = await import("../../../src/http/context/control-token.ts");
  const token = new ControlToken("secret");

  expect(
    ["secret", "s", "", "secret ", "x".repeat(1000)].map((text) => token.matches(text)),
  ).toEqual([true, false, false, false, false]);
  expect(compared).toEqual(Array.from({ length: 5 }, () => [32, 32]));
});

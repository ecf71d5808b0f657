import { describe, expect, it } from "vitest";
import { toCents, toWireValue } from "../../../src/core/records/checks.ts";
import { randomFrom } from "../../support/core.ts";

describe("an amount in reais", () => {
  it.each([
    [0.01, 1],
    [0.1, 10],
    [0.29, 29],
    [0.57, 57],
    [1, 100],
    [1.1, 110],
    [4.35, 435],
    [10.5, 1050],
    [16.4, 1640],
    [19.99, 1999],
    [1234.56, 123_456],
    [2 ** 31, 214_748_364_800],
    [9_999_999_999, 999_999_999_900],
    [9_999_999_999.99, 999_999_999_999],
  ])("%d is %i centavos, and back", (value, cents) => {
    expect(toCents(value, "reais")).toBe(cents);
    expect(toWireValue(cents, "reais")).toBe(value);
  });

  it.each([
    ["nothing", 0],
    ["minus nothing", -0],
    ["less than nothing", -0.01],
    ["a debt", -10.5],
    ["half a centavo", 0.005],
    ["a tenth of a centavo", 0.001],
    ["the smallest number there is", 5e-324],
    ["three decimals", 10.505],
    ["three decimals that round down", 1.005],
    ["three decimals that round up", 0.015],
    ["seven decimals", 10.000_000_1],
    ["nearly two decimals", 19.989_999],
    ["a third", 1 / 3],
    ["one centavo too much", 10_000_000_000],
    ["half a centavo too much", 9_999_999_999.995],
    ["far too much", 1e21],
    ["all there is", Number.MAX_VALUE],
    ["infinity", Number.POSITIVE_INFINITY],
    ["no number", Number.NaN],
  ])("is not %s (%d)", (_title, value) => {
    expect(toCents(value, "reais")).toBeUndefined();
  });

  it.each([
    [0.1 + 0.2, 30],
    [0.1 + 0.7, 80],
    [1.1 + 2.2, 330],
    [8.41 - 8.4, undefined], // a difference loses digits: 0.00999999999999979 is far from 0.01
    [3 * 1.1, 330],
    [49.95 * 3, 14_985],
    [1.15 * 100, 11_500],
    [4.35 * 100, 43_500],
    [0.1 * 3, 30],
    [9.95 + 0.05, 1000],
  ])("takes what a floating-point sum leaves behind: %d is %s centavos", (value, cents) => {
    expect(toCents(value, "reais")).toBe(cents);
  });

  it("is read from every centavo's number, 100,000 random ones", () => {
    const random = randomFrom(7);
    const wrong: number[] = [];
    for (let count = 0; count < 100_000; count++) {
      const cents = 1 + Math.floor(random() ** 4 * 999_999_999_998);
      const value = Number(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`);
      if (toCents(value, "reais") !== cents || toWireValue(cents, "reais") !== value)
        wrong.push(cents);
    }
    expect(wrong).toEqual([]);
  });

  it("is not read from numbers of three decimals, 100,000 random ones", () => {
    const random = randomFrom(8);
    const taken: number[] = [];
    for (let count = 0; count < 100_000; count++) {
      const cents = Math.floor(random() * 99_999_999);
      const third = 1 + Math.floor(random() * 9);
      const value = Number(
        `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}${third}`,
      );
      if (toCents(value, "reais") !== undefined) taken.push(value);
    }
    expect(taken).toEqual([]);
  });
});

describe("an amount in centavos", () => {
  it.each([1, 10, 1050, 999_999_999_999])("%i is itself, and back", (value) => {
    expect(toCents(value, "centavos")).toBe(value);
    expect(toWireValue(value, "centavos")).toBe(value);
  });

  it.each([
    0,
    -0,
    -1,
    0.5,
    10.5,
    1.000_000_1,
    0.1 + 0.2,
    1_000_000_000_000,
    1e21,
    Number.MAX_SAFE_INTEGER,
    Number.POSITIVE_INFINITY,
    Number.NaN,
  ])("is not %d", (value) => {
    expect(toCents(value, "centavos")).toBeUndefined();
  });
});

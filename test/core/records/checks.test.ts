import { isValidCpf } from "@brazilian-utils/brazilian-utils";
import { describe, expect, it } from "vitest";
import { hasCpfCheckDigits, isEmail, toAmount } from "../../../src/core/records/checks.ts";
import { randomFrom } from "../../support/core.ts";

// fixtures/refusals and fixtures/acceptances have the rule of each member; here is what takes many values.

describe("the check digits of a CPF", () => {
  it("hold for one of a hundred endings of any nine digits, the same as in another package", () => {
    const random = randomFrom(11);
    for (let count = 0; count < 200; count++) {
      const nine = String(Math.floor(random() * 1e9)).padStart(9, "0");
      const endings = Array.from({ length: 100 }, (_, end) => nine + String(end).padStart(2, "0"));
      const holding = endings.filter(hasCpfCheckDigits);
      expect(holding).toHaveLength(1);
      expect(holding).toEqual(endings.filter((text) => isValidCpf(text)));
    }
  });

  it("do not count where all digits are the same", () => {
    const same = Array.from({ length: 10 }, (_, digit) => String(digit).repeat(11));
    expect(same.filter(hasCpfCheckDigits)).toEqual([]);
  });
});

describe("an e-mail address", () => {
  const LABEL = "a".repeat(63);

  it.each([
    "o'brien@example.com",
    "!#$%&'*+/=?^_`{|}~-@example.com",
    "maria@xn--so-paulo-xza.example",
    "maria@123.45",
    `maria@${LABEL}.com`,
  ])("is %s", (text) => expect(isEmail(text, "any")).toBe(true));

  it.each([
    "maria@localhost",
    ".maria@example.com",
    "maria.@example.com",
    "maria..silva@example.com",
    "maria@.example.com",
    "maria@example..com",
    "maria@example.com.",
    "maria@-example.com",
    "maria@example-.com",
    "maria@example.com\n",
    "Maria <maria@example.com>",
    "a@b.co,c@d.co",
    '"maria"@example.com',
    "maria@[127.0.0.1]",
    "joão@example.com",
    "maria@são-paulo.com",
    `maria@${LABEL}a.com`,
  ])("is not %j", (text) => expect(isEmail(text, "any")).toBe(false));
});

describe("an amount in reais", () => {
  it("is read from every centavo's number, 100,000 random ones", () => {
    const random = randomFrom(7);
    const wrong: number[] = [];
    for (let count = 0; count < 100_000; count++) {
      const cents = 1 + Math.floor(random() ** 4 * 999_999_999_998);
      const value = Number(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`);
      if (toAmount(value, "reais") !== value) wrong.push(cents);
    }
    expect(wrong).toEqual([]);
  });

  it("is not read from numbers of three decimals, 100,000 random ones", () => {
    const random = randomFrom(8);
    const taken: number[] = [];
    for (let count = 0; count < 100_000; count++) {
      const cents = Math.floor(random() * 99_999_999);
      const whole = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
      const value = Number(`${whole}${1 + Math.floor(random() * 9)}`);
      if (toAmount(value, "reais") !== undefined) taken.push(value);
    }
    expect(taken).toEqual([]);
  });

  it.each([
    [0.1 + 0.7, 0.8],
    [8.41 - 8.4, undefined], // a difference loses digits: 0.00999999999999979 is far from 0.01
    [49.95 * 3, 149.85],
    [4.35 * 100, 435],
    [9.95 + 0.05, 10],
  ])("takes what a floating-point sum leaves behind: %d is %s", (value, amount) => {
    expect(toAmount(value, "reais")).toBe(amount);
  });
});

describe("an amount in centavos", () => {
  it("is an integer from 1 to 999999999999", () => {
    const values = [1, 999_999_999_999, 0, -1, 10.5, 1_000_000_000_000, Number.NaN];
    expect(values.map((value) => toAmount(value, "centavos"))).toEqual([
      1,
      999_999_999_999,
      ...Array.from({ length: 5 }),
    ]);
  });
});

import { isValidCpf } from "@brazilian-utils/brazilian-utils";
import { describe, expect, it } from "vitest";
import { hasCpfCheckDigits, isCpfShape } from "../../../src/core/records/checks.ts";
import { randomFrom } from "../../support/core.ts";

const NO_SHAPE = [
  ["nothing", ""],
  ["10 digits", "1234567890"],
  ["12 digits", "123456789012"],
  ["dots and a hyphen", "529.982.247-25"],
  ["a letter", "5299822472a"],
  ["a blank before", " 52998224725"],
  ["a line break behind", "52998224725\n"],
  ["a sign", "+5299822472"],
  ["digits of another script", "٥٢٩٩٨٢٢٤٧٢٥"],
] as const;

describe("the shape of a CPF", () => {
  it.each(["52998224725", "12345678901", "00000000000", "99999999999"])("is that of %s", (text) => {
    expect(isCpfShape(text)).toBe(true);
  });

  it.each(NO_SHAPE)("is not %s", (_title, text) => {
    expect(isCpfShape(text)).toBe(false);
  });
});

describe("the check digits of a CPF", () => {
  it.each([
    "52998224725",
    "11144477735",
    "12345678909",
    "00000000191", // leading zeros
    "10000000108", // first check digit 0: a rest of 10
    "00000001910",
  ])("hold in %s", (text) => {
    expect(isValidCpf(text)).toBe(true);
    expect(hasCpfCheckDigits(text)).toBe(true);
  });

  it.each(["52998224724", "52998224735", "52998224752", "12345678900", "25998224725"])(
    "do not hold in %s",
    (text) => {
      expect(hasCpfCheckDigits(text)).toBe(false);
    },
  );

  it.each(Array.from({ length: 10 }, (_, digit) => String(digit).repeat(11)))(
    "do not count where all digits are the same: %s",
    (text) => {
      expect(hasCpfCheckDigits(text)).toBe(false);
    },
  );

  it.each(NO_SHAPE)("are invalid in a text of another shape: %s", (_title, text) => {
    expect(hasCpfCheckDigits(text)).toBe(false);
  });

  it("are valid for one of a hundred endings of any nine digits, the same as in another package", () => {
    const random = randomFrom(11);
    for (let count = 0; count < 200; count++) {
      const nine = String(Math.floor(random() * 1e9)).padStart(9, "0");
      const endings = Array.from({ length: 100 }, (_, end) => nine + String(end).padStart(2, "0"));

      const holding = endings.filter(hasCpfCheckDigits);
      expect(holding).toHaveLength(1);
      expect(holding).toEqual(endings.filter((text) => isValidCpf(text)));
    }
  });
});

import { describe, expect, it } from "vitest";
import { LANGUAGE_NAMES, tagOf, toReais } from "../../src/text/languages.ts";

describe.each(LANGUAGE_NAMES)("an amount in the language %s", (language) => {
  const witness = new Intl.NumberFormat(tagOf(language), { style: "currency", currency: "BRL" });

  it.each([0, 0.01, 0.1, 1, 12.5, 999.99, 1_000, 12_345.67, 100_000, 9_999_999.99, -3, -1_234.5])(
    "is written as Intl writes it: %d",
    (value) => expect(toReais(value, language)).toBe(witness.format(value)),
  );
});

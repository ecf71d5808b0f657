import { describe, expect, it } from "vitest";
import { isEmail } from "../../../src/core/records/checks.ts";

const LABEL = "a".repeat(63);

describe("an e-mail address", () => {
  it.each([
    "a@b.co",
    "maria@example.com",
    "maria.da.silva@example.com.br",
    "maria+pix@example.com",
    "MARIA@EXAMPLE.COM",
    "o'brien@example.com",
    "_@example.com",
    "1@2.com",
    "!#$%&'*+/=?^_`{|}~-@example.com",
    "maria@sub-domain.example.com",
    "maria@xn--so-paulo-xza.example",
    "maria@123.45",
    `maria@${LABEL}.com`,
  ])("is %s", (text) => {
    expect(isEmail(text, "any")).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["no @", "maria.example.com"],
    ["two @", "maria@home@example.com"],
    ["nothing before the @", "@example.com"],
    ["nothing behind the @", "maria@"],
    ["a domain without a dot", "maria@localhost"],
    ["a dot at the start", ".maria@example.com"],
    ["a dot before the @", "maria.@example.com"],
    ["two dots in a row", "maria..silva@example.com"],
    ["a dot behind the @", "maria@.example.com"],
    ["two dots in the domain", "maria@example..com"],
    ["a dot at the end", "maria@example.com."],
    ["a hyphen before the domain", "maria@-example.com"],
    ["a hyphen behind a label", "maria@example-.com"],
    ["a blank", "maria da silva@example.com"],
    ["a blank before", " maria@example.com"],
    ["a line break behind", "maria@example.com\n"],
    ["a name and brackets", "Maria <maria@example.com>"],
    ["two addresses", "a@b.co,c@d.co"],
    ["quotes", '"maria"@example.com'],
    ["an address in brackets", "maria@[127.0.0.1]"],
    ["accents before the @", "joão@example.com"],
    ["accents behind the @", "maria@são-paulo.com"],
    ["a label of 64 characters", `maria@${LABEL}a.com`],
  ])("has not %s", (_title, text) => {
    expect(isEmail(text, "any")).toBe(false);
  });

  it("has at most 77 characters with that limit", () => {
    const of = (length: number): string => `${"a".repeat(length - 12)}@example.com`;

    expect([of(77).length, of(78).length]).toEqual([77, 78]);
    expect([isEmail(of(77), "77"), isEmail(of(78), "77")]).toEqual([true, false]);
    expect([isEmail(of(77), "any"), isEmail(of(78), "any")]).toEqual([true, true]);
  });

  it("is refused quickly for a long text", () => {
    const nearlyAddresses = [
      "a".repeat(200_000),
      `a@${"a.".repeat(100_000)}`,
      "a@".repeat(100_000),
    ];

    for (const text of nearlyAddresses) expect(isEmail(text, "any")).toBe(false);
  });
});

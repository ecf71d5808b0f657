import { describe, expect, it } from "vitest";
import { parseAddress, PostgresAddressError } from "../../../src/store/postgres/address.ts";
import { connect } from "../../../src/store/postgres/connection.ts";
import { english, translate } from "../../../src/text/languages.ts";

const PASSWORD = "s3cret";

describe("an address", () => {
  it("has defaults", () => {
    expect(parseAddress(`postgres://maria:${PASSWORD}@db.example/shop`)).toEqual({
      url: `postgres://maria:${PASSWORD}@db.example/shop`,
      host: "db.example",
      database: "shop",
      sandbox: "default",
      sslmode: undefined,
      connectTimeout: 3,
      place: "postgres://maria:***@db.example/shop",
    });
  });

  it("has three parameters, which the driver does not see", () => {
    const sandbox = `team.A_1-${"b".repeat(55)}`;
    expect(
      parseAddress(
        `postgresql://maria:${PASSWORD}@[::1]:5433/my%20shop?sandbox=${sandbox}&sslmode=verify-full&connect_timeout=5`,
      ),
    ).toEqual({
      url: `postgresql://maria:${PASSWORD}@[::1]:5433/my%20shop`,
      host: "::1",
      database: "my shop",
      sandbox,
      sslmode: "verify-full",
      connectTimeout: 5,
      place: `postgresql://maria:***@[::1]:5433/my%20shop?sandbox=${sandbox}`,
    });
  });
});

describe("a refusal", () => {
  it.each([
    ["/shop", "The address of the state is not valid"],
    ["one,two/shop", "The address of the state is not valid"],
    ["%2Fvar%2Frun/shop", "The address of the state is not valid"],
    ["db", "The address of the state is not valid"],
    ["db/?sandbox=a", "The address of the state is not valid"],
    ["db/shop/other", "The address of the state is not valid"],
    ["db:99999/shop", "The address of the state is not valid"],
    ["db/%zz", "The address of the state is not valid"],
    ["db/shop#a", "The address of the state is not valid"],
    ["db/shop?sandbx=a", 'invalid parameter "sandbx". It can have sandbox (1'],
    [`db/shop?password=${PASSWORD}`, 'unknown or invalid parameter "password"'],
    ["db/shop?lease=2", 'unknown or invalid parameter "lease"'],
    ["db/shop?sslrootcert=ca.pem", 'unknown or invalid parameter "sslrootcert"'],
    ["db/shop?constructor=1", 'unknown or invalid parameter "constructor"'],
    ["db/shop?sandbox=a&sandbox=b", 'invalid parameter "sandbox"'],
    ["db/shop?sandbox=", 'invalid parameter "sandbox"'],
    ["db/shop?sandbox=a+b", 'invalid parameter "sandbox"'],
    [`db/shop?sandbox=${"a".repeat(65)}`, 'invalid parameter "sandbox"'],
    ["db/shop?sslmode=verify-ca", 'parameter "sslmode"'],
    ["db/shop?connect_timeout=0", 'parameter "connect_timeout"'],
    ["db/shop?connect_timeout=0x2", 'parameter "connect_timeout"'],
  ])("of %s names what is wrong, without the password", (place, reason) => {
    for (const scheme of ["postgres", "postgresql"]) {
      const text = refusalOf(`${scheme}://maria:${PASSWORD}@${place}`);
      expect(text.en).toContain(reason);
      expect(text.pt).not.toBe(text.en);
      expect(text.en + text.pt).not.toContain(PASSWORD);
    }
  });

  it.each([
    `postgres://maria:12/${PASSWORD}@db/shop`,
    `postgres://maria:12?${PASSWORD}@db/shop`,
    `postgres://maria:12#${PASSWORD}@db/shop`,
    `postgres://maria:12@3/${PASSWORD}@db/shop`,
    `postgres://maria:%zz${PASSWORD}@db/shop`,
    `postgres://maria:${PASSWORD}`,
    `postgres:maria:${PASSWORD}@db/shop`,
    `mysql://maria:${PASSWORD}@db/shop`,
  ])("of %s does not contain the password", (address) => {
    const { en, pt } = refusalOf(address);
    expect(en + pt).not.toContain(PASSWORD);
  });
});

describe("the driver's connection", () => {
  it.each([
    ["postgres://u@[fd00::5]/db", "fd00::5", 5432],
    ["postgres://u@[::1]:5433/db", "::1", 5433],
    ["postgres://u@db.example:5434/db", "db.example", 5434],
  ])("of %j goes to %s, port %d", (text, host, port) => {
    expect(connect(parseAddress(text)).options).toMatchObject({ host: [host], port: [port] });
  });
});

describe("the place of an address, to print", () => {
  it.each([
    ["postgres://u:s3cret@host/db?sandbox=name", "postgres://u:***@host/db?sandbox=name"],
    ["postgresql://u:s3cret@host:5433/db", "postgresql://u:***@host:5433/db"],
    ["postgres://u@host/db?sslmode=require", "postgres://u@host/db"],
    ["postgres://host:5432/db", "postgres://host:5432/db"],
    ["postgres://[::1]/db", "postgres://[::1]/db"],
    ["postgres://u:s3c@ret@host/db", "postgres://u:***@host/db"],
    ["postgres://u\u001b[2J:p@host/db\u202e", "postgres://u%1B%5B2J:***@host/db%E2%80%AE"],
  ])("of %j is %j", (text, place) => {
    expect(parseAddress(text).place).toBe(place);
  });
});

function refusalOf(address: string): { en: string; pt: string } {
  try {
    parseAddress(address);
  } catch (error) {
    if (!(error instanceof PostgresAddressError)) throw error;
    return { en: english(error.text), pt: translate(error.text, "pt") };
  }
  throw new Error("The address was accepted.");
}

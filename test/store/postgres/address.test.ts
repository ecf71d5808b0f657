import { describe, expect, it } from "vitest";
import {
  maskAddress,
  parseAddress,
  PostgresAddressError,
} from "../../../src/store/postgres/address.ts";
import { english, translate } from "../../../src/text/languages.ts";

const PASSWORD = "s3cret";

function refusalOf(text: string): PostgresAddressError {
  try {
    parseAddress(text);
  } catch (error) {
    if (error instanceof PostgresAddressError) return error;
    throw error;
  }
  throw new Error("The address was accepted.");
}

describe("an address", () => {
  it("has defaults", () => {
    expect(parseAddress(`postgres://maria:${PASSWORD}@db.example/shop`)).toEqual({
      url: `postgres://maria:${PASSWORD}@db.example/shop`,
      host: "db.example",
      port: 5432,
      database: "shop",
      sandbox: "default",
      leaseMs: 2000,
      tls: undefined,
      masked: "postgres://maria:***@db.example/shop",
    });
  });

  it("passes on only what the driver knows", () => {
    const read = parseAddress(
      `postgresql://maria:${PASSWORD}@[::1]:5433/my%20shop?sandbox=team.A_1-b&lease=2.5&application_name=x&sslmode=verify-full&sslrootcert=%2Fca.pem&sslcert=c.pem&sslkey=k.pem&connect_timeout=5`,
    );
    expect(read).toMatchObject({
      url: `postgresql://maria:${PASSWORD}@[::1]:5433/my%20shop?application_name=x&connect_timeout=5`,
      host: "::1",
      port: 5433,
      database: "my shop",
      sandbox: "team.A_1-b",
      leaseMs: 2500,
      tls: {
        mode: "verify-full",
        rootCertFile: "/ca.pem",
        certFile: "c.pem",
        keyFile: "k.pem",
      },
    });
  });

  it("needs no user and no password", () => {
    expect(parseAddress("postgres://db/shop").masked).toBe("postgres://db/shop");
    expect(parseAddress("postgres://maria@db/shop").masked).toBe("postgres://maria@db/shop");
  });

  it.each(["disable", "prefer", "require", "verify-ca", "verify-full"])(
    "has sslmode=%s",
    (mode) => {
      expect(parseAddress(`postgres://db/shop?sslmode=${mode}`).tls).toEqual({ mode });
    },
  );

  it("verifies the server if it requires TLS with a root certificate, as libpq does", () => {
    expect(parseAddress("postgres://db/shop?sslmode=require&sslrootcert=ca.pem").tls?.mode).toBe(
      "verify-ca",
    );
  });

  it("may name the system's root certificates", () => {
    expect(parseAddress("postgres://db/shop?sslmode=verify-full&sslrootcert=system").tls).toEqual({
      mode: "verify-full",
    });
  });

  it.each(["1", "60", "1.5", "2.0"])("has a lease of %s s", (lease) => {
    expect(parseAddress(`postgres://db/shop?lease=${lease}`).leaseMs).toBe(Number(lease) * 1000);
  });
});

describe("a refusal", () => {
  it.each([
    ["no host", "/shop", "is not an address"],
    ["several hosts", "one,two/shop", "several hosts are not supported"],
    ["several hosts with ports", "one:1,two:2/shop", "several hosts are not supported"],
    ["the folder of a socket", "%2Fvar%2Frun/shop", "Unix sockets and"],
    ["no database", "db", "must contain one database name, as in postgres://user:"],
    ["an empty database", "db/?sandbox=a", "must contain one database name"],
    ["two databases", "db/shop/other", "must contain one database name"],
    ["an invalid port", "db:99999/shop", "is not an address"],
    ["an invalid encoding", "db/%zz", "invalid percent-encoding"],
    ["a fragment", "db/shop#a", "a fragment"],
    ["an unknown parameter", "db/shop?sandbx=a", 'unknown parameter "sandbx". The parameters are'],
    ["a password parameter", `db/shop?password=${PASSWORD}`, 'unknown parameter "password"'],
    ["a parameter twice", "db/shop?lease=2&lease=3", "the parameter lease twice"],
    ["an empty sandbox", "db/shop?sandbox=", "invalid parameter sandbox"],
    ["a sandbox with a space", "db/shop?sandbox=a+b", "invalid parameter sandbox"],
    ["a long sandbox", `db/shop?sandbox=${"a".repeat(65)}`, "invalid parameter sandbox"],
    ["a short lease", "db/shop?lease=0.9", "invalid parameter lease"],
    ["a long lease", "db/shop?lease=60.1", "invalid parameter lease"],
    ["a lease with a unit", "db/shop?lease=2s", "invalid parameter lease"],
    ["a lease in hex", "db/shop?lease=0x2", "invalid parameter lease"],
    ["an unknown mode", "db/shop?sslmode=allow", "invalid parameter sslmode"],
    ["an empty file", "db/shop?sslmode=require&sslcert=", "invalid parameter sslcert"],
    ["an ignored certificate", "db/shop?sslrootcert=ca.pem", "must contain sslmode=verify-full"],
    [
      "a name that is not verified",
      "db/shop?sslmode=require&sslrootcert=system",
      "verify-full with",
    ],
    ["a certificate alone", "db/shop?sslmode=require&sslcert=c.pem", "both sslcert and sslkey"],
    ["an invalid timeout", "db/shop?connect_timeout=0", "invalid parameter connect_timeout"],
    ["an empty name", "db/shop?application_name=", "invalid parameter application_name"],
  ])("of %s does not contain the password", (_, place, reason) => {
    for (const scheme of ["postgres", "postgresql"]) {
      const { text } = refusalOf(`${scheme}://maria:${PASSWORD}@${place}`);
      expect(english(text)).toContain(reason);
      expect(translate(text, "pt")).not.toBe(english(text));
      expect(english(text) + translate(text, "pt")).not.toContain(PASSWORD);
    }
  });

  it.each([
    `postgres://maria:12/${PASSWORD}@db/shop`,
    `postgres://maria:12?${PASSWORD}@db/shop`,
    `postgres://maria:12?${PASSWORD}=1@db/shop`,
    `postgres://maria:12#${PASSWORD}@db/shop`,
    `postgres://maria:12@3/${PASSWORD}@db/shop`,
    `postgres://maria:%zz${PASSWORD}@db/shop`,
    `postgres://maria:${PASSWORD}`,
    `postgres:maria:${PASSWORD}@db/shop`,
    `mysql://maria:${PASSWORD}@db/shop`,
  ])("of %s does not contain the password", (text) => {
    expect(english(refusalOf(text).text)).not.toContain(PASSWORD);
    expect(translate(refusalOf(text).text, "pt")).not.toContain(PASSWORD);
  });
});

describe("a masked address", () => {
  it.each([
    ["postgres://u:s3cret@host/db?sandbox=name", "postgres://u:***@host/db?sandbox=name"],
    ["postgresql://u:s3cret@host:5433/db", "postgresql://u:***@host:5433/db"],
    ["postgres://u:@host/db", "postgres://u:***@host/db"],
    ["postgres://u@host/db", "postgres://u@host/db"],
    ["postgres://host/db", "postgres://host/db"],
    ["postgres://host:5432/db", "postgres://host:5432/db"],
    ["postgres://[::1]/db", "postgres://[::1]/db"],
    ["postgres://host/db?password=s3cret&lease=2", "postgres://host/db?password=***&lease=2"],
    ["postgres://host/db?p%61ssword=s3cret", "postgres://host/db?p%61ssword=***"],
    ["postgres://u:p@host/db?PASSWORD=s3cret", "postgres://u:***@host/db?PASSWORD=***"],
    ["postgres://u:s3c/ret@host/db", "postgres://***@host/db"],
    ["postgres://u:s3c@ret@host/db", "postgres://***@host/db"],
    ["postgres://u:s3c?ret#@host/db", "postgres://***@host/db"],
    ["postgres://u:s3c\nret@host/db", "postgres://u:***@host/db"],
    ["postgres://u:s3cret", "postgres://u:***"],
    ["postgres://u:5432s3cret/db", "postgres://u:***"],
    ["postgres:u:s3cret@host/db", "postgres:***@host/db"],
    ["", ""],
  ])("of %j is %j", (text, masked) => {
    expect(maskAddress(text)).toBe(masked);
  });

  it("is safe for a terminal", () => {
    expect(maskAddress("postgres://u\u001b[2J:p@host\n/db\u202e")).toBe(
      "postgres://u\\u001b[2J:***@host\\u000a/db\\u202e",
    );
  });
});

import { describe, expect, it } from "vitest";
import { isSigningSecret, toOrigin } from "../../src/wire/forms.ts";
import { asSecret } from "../../src/webhook-diagnosis/signature.ts";
import { SECRET } from "../support/vectors.ts";

describe("a secret", () => {
  it.each([SECRET, "whsec_YQ==", "whsec_c2VjcmV0c2U", ` ${SECRET}\n`])(
    "is whsec_ and base64: %j",
    (text) => {
      expect(isSigningSecret(text)).toBe(true);
    },
  );

  it.each(["open sesame", "s", "é", "WHSEC_", "whsec", `"${SECRET}"`])(
    "is another text, whose bytes are the key: %j",
    (text) => {
      expect(isSigningSecret(text)).toBe(true);
      expect(asSecret(text)).toBe(`whsec_${Buffer.from(text).toString("base64")}`);
    },
  );

  it.each([
    "",
    " \t\n",
    "whsec_",
    " whsec_ ",
    "whsec_YQ",
    "whsec_====",
    "whsec_YWJj=",
    "whsec_YWJjZ",
    "whsec_not base64!",
    "whsec_YWJj-_Zm",
    "whsec_YWJj\nYWJj",
    `${SECRET}…`,
  ])("is neither empty nor whsec_ without base64: %j", (text) => {
    expect(isSigningSecret(text)).toBe(false);
  });
});

describe("an origin", () => {
  it.each([
    ["http://localhost:5173", "http://localhost:5173"],
    ["http://localhost:5173/", "http://localhost:5173"],
    ["HTTPS://Shop.Example", "https://shop.example"],
    ["https://shop.example:443", "https://shop.example"],
    ["http://[::1]:3000", "http://[::1]:3000"],
    ["capacitor://Localhost", "capacitor://localhost"],
    ["chrome-extension://abcdef", "chrome-extension://abcdef"],
  ])("is read as browsers send it: %s", (text, origin) => {
    expect(toOrigin(text)).toBe(origin);
  });

  it.each([
    "",
    "*",
    "null",
    "localhost:5173",
    "shop.example",
    "http://",
    "http://shop.example/path",
    "http://shop.example/?a",
    "http://shop.example#a",
    "http://user@shop.example",
    "https://*.shop.example",
    "http://shop.example:99999",
    "http://a http://b",
    "http://a,http://b:1/",
    "file:///",
  ])("is not %j", (text) => {
    expect(toOrigin(text)).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { isSigningSecret } from "../../src/wire/signing-secret.ts";
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

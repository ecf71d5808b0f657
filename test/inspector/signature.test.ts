import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { checkSignature } from "../../src/inspector/state/signature.ts";

const SECRET = `whsec_${Buffer.from("a key of thirty-two bytes, as usual").toString("base64")}`;
const OTHER = `whsec_${Buffer.from("another key").toString("base64")}`;
const SENT = {
  id: "evt_1",
  timestamp: "1790000000",
  body: '{"value":10.50,"buyer_name":"João"}',
};

const sign = (secret: string, { id, timestamp, body } = SENT): string =>
  new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), body);

describe("a signature", () => {
  it("is right if it is that of the id, the time and the body", async () => {
    const signature = sign(SECRET);
    expect(await checkSignature(SECRET, { ...SENT, signature })).toBe("right");
    expect(await checkSignature(SECRET.replace("whsec_", ""), { ...SENT, signature })).toBe(
      "right",
    );
  });

  it("is right if any of several is", async () => {
    const signature = `v1a,abc v1,${btoa("x")} ${sign(OTHER)} ${sign(SECRET)}`;
    expect(await checkSignature(SECRET, { ...SENT, signature })).toBe("right");
  });

  it("is wrong for any other secret, id, time or body", async () => {
    const signature = sign(SECRET);
    expect(await checkSignature(OTHER, { ...SENT, signature })).toBe("wrong");
    for (const change of [{ id: "evt_2" }, { timestamp: "1790000001" }, { body: "{}" }])
      expect(await checkSignature(SECRET, { ...SENT, ...change, signature })).toBe("wrong");
  });

  it("is wrong if it, or the secret, is not base64", async () => {
    for (const signature of ["", "v1,", "v1,!", "v2,abc", sign(SECRET).slice(3)])
      expect(await checkSignature(SECRET, { ...SENT, signature })).toBe("wrong");
    expect(await checkSignature("whsec_!", { ...SENT, signature: sign(SECRET) })).toBe("wrong");
  });

  it("cannot be checked if none was sent, or if the browser cannot", async () => {
    expect(await checkSignature(SECRET, { ...SENT, signature: undefined })).toBe("unsigned");
    const insecure = null as unknown as typeof crypto.subtle;
    expect(await checkSignature(SECRET, { ...SENT, signature: sign(SECRET) }, insecure)).toBe(
      "unavailable",
    );
  });
});

import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { sign, toSecret } from "../../src/webhook-diagnosis/signature.ts";
import { randomFrom } from "../support/core.ts";
import { SECRET, VECTORS } from "../support/vectors.ts";

describe("a signature", () => {
  it.each(VECTORS)("is the known one $title", ({ secret, id, timestamp, body, signature }) => {
    expect(sign(secret, id, timestamp, body)).toBe(signature);
  });

  it("is what another implementation signs, for 1,000 seeded secrets, ids and bodies", () => {
    const random = randomFrom(31);
    for (let count = 0; count < 1000; count++) {
      const secret = toSecret(Buffer.from(randomBytes(random, 24 + Math.floor(random() * 41))));
      const id = `evt_${Buffer.from(randomBytes(random, 16)).toString("hex")}`;
      const timestamp = 1 + Math.floor(random() * 4_000_000_000);
      const body = count % 100 === 0 ? "" : randomText(random);

      const witness = new Webhook(secret).sign(id, new Date(timestamp * 1000), body);
      expect(sign(secret, id, timestamp, body)).toBe(witness);
    }
  });

  it("is accepted by a merchant's verifier, and by none whose secret, id, time or body differs", () => {
    const timestamp = Math.floor(Date.now() / 1000);
    const body = '{"type":"payin.paid","data":{"buyer_name":"José 😀"}}';
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(timestamp),
      "webhook-signature": sign(SECRET, "evt_1", timestamp, body),
    };
    const webhook = new Webhook(SECRET);

    expect(webhook.verify(body, headers)).toEqual(JSON.parse(body));
    const otherSecret = toSecret(Buffer.alloc(24, 7));
    for (const [verifier, sentBody, changed] of [
      [new Webhook(otherSecret), body, {}],
      [webhook, `${body} `, {}],
      [webhook, body.replace("é", "e"), {}],
      [webhook, body, { "webhook-id": "evt_2" }],
      [webhook, body, { "webhook-timestamp": String(timestamp + 1) }],
    ] as const)
      expect(() => verifier.verify(sentBody, { ...headers, ...changed })).toThrow(/signature/i);
  });
});

describe("a secret", () => {
  it("is the prefix and the base64 of its key", () => {
    expect(toSecret(Buffer.from("31f290f6bf06298aab4f08d43c3f082cf648a362da2da4b0", "hex"))).toBe(
      SECRET,
    );
  });
});

function randomBytes(random: () => number, count: number): number[] {
  return Array.from({ length: count }, () => Math.floor(random() * 256));
}

/** Up to 400 characters of every length that UTF-8 has, and those that JSON escapes. */
function randomText(random: () => number): string {
  const alphabet = 'aZ09 .,:{}[]"\\/\n\t\0éçãºß€漢😀👩‍👩‍👧\u202e\u2028'.split(/(?:)/u);
  return Array.from(
    { length: 1 + Math.floor(random() * 400) },
    () => alphabet[Math.floor(random() * alphabet.length)],
  ).join("");
}

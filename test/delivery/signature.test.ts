import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { sign, toSecret } from "../../src/delivery/signature.ts";
import { randomFrom } from "../support/core.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Known signatures: of the scheme's own test suites, and derived with other implementations. */
const VECTORS = [
  {
    title: "of the scheme's libraries",
    secret: SECRET,
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
    signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  },
  {
    title: "of a sender's manual",
    secret: "whsec_plJ3nmyCDGBKInavdOK15jsl",
    id: "msg_loFOjxBNrRLzqYUf",
    timestamp: 1_731_705_121,
    body: '{"event_type":"ping","data":{"success":true}}',
    signature: "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
  },
  {
    title: "of a body beyond ASCII",
    secret: SECRET,
    id: "msg_pix_0001",
    timestamp: 1_760_000_000,
    body: '{"type":"payin.completed","data":{"buyer_name":"José Ação 😀"}}',
    signature: "v1,rXex3qHXf7I2eBJo5Emby5n3IrkrSUcvWE+t7sJfWXA=",
  },
  {
    title: "of an empty body",
    secret: SECRET,
    id: "msg_pix_0002",
    timestamp: 1_760_000_000,
    body: "",
    signature: "v1,Tm25h6EYC8M5FEWIzz8oNH8KF5qGCKkDew9oOMAACwU=",
  },
  {
    title: "of the scheme's own sample",
    secret: SECRET,
    id: "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
    timestamp: 1_674_087_231,
    body: '{"type":"contact.created","timestamp":"2022-11-03T20:26:10.344522Z","data":{"id":"1f81eb52-5198-4599-803e-771906343485"}}',
    signature: "v1,ARw42xaAApl/nxRo+iPGYwSaMQaOwMo2eyH5JBRA+bQ=",
  },
];

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

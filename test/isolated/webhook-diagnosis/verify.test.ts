import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import { asSecret, sign, toSecret } from "../../../src/webhook-diagnosis/signature.ts";
import type { CapturedWebhook } from "../../../src/webhook-diagnosis/signed.ts";
import { randomFrom, START_MS } from "../../support/core.ts";
import { SECRET, VECTORS } from "../../support/vectors.ts";
import {
  BODY,
  ID,
  PARTS,
  SIGNED_AT,
  captured,
  type Parts,
  useFakeDate,
  verify,
  withoutPrefix,
} from "./verify.ts";
import { inWords } from "../../support/words.ts";
import { english } from "../../../src/text/languages.ts";

const OTHER_SECRET = toSecret(Buffer.alloc(24, 7));
useFakeDate();

describe("a secret without whsec_", () => {
  it.each(["my-secret", "secret123"])("verifies what it signed, its bytes: %s", (secret) => {
    const signature = sign(asSecret(secret), ID, SIGNED_AT, BODY);
    const webhook = captured({ id: ID, timestamp: String(SIGNED_AT), signature, body: BODY });
    expect(verify(webhook, { secret, nowMs: START_MS })).toMatchObject({ isValid: true });
  });
});

describe("a known signature", () => {
  it.each(VECTORS)("$title holds", ({ secret, id, timestamp, body, signature }) => {
    const webhook = captured({ id, timestamp: String(timestamp), signature, body });
    const nowMs = timestamp * 1000;

    expect(verify(webhook, { secret, nowMs })).toEqual({
      isValid: true,
      id,
      signedAtMs: nowMs,
      warnings: [],
    });
    expect(accepts(webhook, { secret, nowMs })).toBe(true);
    for (const changed of [
      { ...webhook, body: Buffer.from(`${body}x`) },
      captured({ id: `${id}x`, timestamp: String(timestamp), signature, body }),
      captured({ id, timestamp: String(timestamp + 1), signature, body }),
    ])
      expect(verify(changed, { secret, nowMs })).toMatchObject({ isValid: false });
  });
});

describe("a verdict", { timeout: 60_000 }, () => {
  const signature = sign(SECRET, ID, SIGNED_AT, BODY);
  const other = sign(OTHER_SECRET, ID, SIGNED_AT, BODY);
  const bare = signature.slice("v1,".length);
  it.each<{
    title: string;
    isValid: boolean;
    headers?: Partial<Parts>;
    secret?: string;
    nowMs?: number;
  }>([
    { title: "an intact one", isValid: true },
    { title: "a secret without its prefix", isValid: true, secret: withoutPrefix(SECRET) },
    { title: "a secret without its padding", isValid: true, secret: SECRET.replace(/=+$/, "") },
    { title: "another secret", isValid: false, secret: OTHER_SECRET },
    { title: "a secret in quotes", isValid: false, secret: `"${SECRET}"` },
    { title: "a secret with a line end", isValid: false, secret: `${SECRET}\r\n` },
    { title: "a secret that is no base64", isValid: false, secret: "whsec_not-a-secret" },
    { title: "a secret that is a prefix alone", isValid: false, secret: "whsec_" },
    {
      title: "a secret that is too short",
      isValid: false,
      secret: "whsec_abc",
      headers: { signature: sign("whsec_abc", ID, SIGNED_AT, BODY) },
    },
    { title: "the second of two", isValid: true, headers: { signature: `${other} ${signature}` } },
    { title: "the first of two", isValid: true, headers: { signature: `${signature} ${other}` } },
    {
      title: "two that a header list joined",
      isValid: true,
      headers: { signature: `${other}, ${signature}` },
    },
    {
      title: "one of several versions",
      isValid: true,
      headers: { signature: `v1a,${bare} v2,${bare} ${signature}` },
    },
    { title: "one behind several blanks", isValid: true, headers: { signature: `  ${signature}` } },
    {
      title: "one with more behind a comma",
      isValid: true,
      headers: { signature: `${signature},x` },
    },
    {
      title: "two that both do not match",
      isValid: false,
      headers: { signature: `${other} ${other}` },
    },
    { title: "one without a version", isValid: false, headers: { signature: bare } },
    { title: "one of another version", isValid: false, headers: { signature: `v2,${bare}` } },
    {
      title: "one without its padding",
      isValid: false,
      headers: { signature: signature.slice(0, -1) },
    },
    {
      title: "the beginning of one",
      isValid: false,
      headers: { signature: signature.slice(0, 20) },
    },
    { title: "a version alone", isValid: false, headers: { signature: "v1" } },
    { title: "a version and nothing", isValid: false, headers: { signature: "v1," } },
    { title: "no signature", isValid: false, headers: { signature: "" } },
    { title: "no id", isValid: false, headers: { id: "" } },
    { title: "no timestamp", isValid: false, headers: { timestamp: "" } },
    {
      title: "a timestamp with a fraction",
      isValid: true,
      headers: { timestamp: `${SIGNED_AT}.5` },
    },
    { title: "a timestamp in words", isValid: false, headers: { timestamp: "yesterday" } },
    { title: "one in milliseconds", isValid: false, headers: { timestamp: `${SIGNED_AT}000` } },
    { title: "300 s", isValid: true, nowMs: START_MS + 300_999 },
    { title: "301 s", isValid: false, nowMs: START_MS + 301_000 },
    { title: "300 s ahead", isValid: true, nowMs: START_MS - 300_000 },
    { title: "301 s ahead", isValid: false, nowMs: START_MS - 300_001 },
  ])(
    "is the witness's: $title, $isValid",
    ({ headers, isValid, secret = SECRET, nowMs = START_MS }) => {
      const webhook = captured({ ...PARTS, signature, ...headers });
      expect(accepts(webhook, { secret, nowMs })).toBe(isValid);
      expect(verify(webhook, { secret, nowMs }).isValid).toBe(isValid);
    },
  );

  it("is the witness's for 1,000 seeded requests, of which some are spoilt", () => {
    const random = randomFrom(47);
    const mostly = <Value>(intact: Value, others: readonly Value[]): Value =>
      random() < 0.8 ? intact : (others[Math.floor(random() * others.length)] as Value);
    const disagreements: unknown[] = [];
    let valid = 0;
    for (let count = 0; count < 1000; count++) {
      const key = Buffer.from(Array.from({ length: 24 + (count % 41) }, () => random() * 256));
      const secret = toSecret(key);
      const timestamp = SIGNED_AT + Math.floor(random() * 700) - 350;
      const text = randomText(random);
      const signed = sign(secret, ID, timestamp, text);
      const base64 = signed.slice("v1,".length);
      const webhook = captured({
        id: mostly(ID, ["evt_2", ""]),
        timestamp: mostly(String(timestamp), [
          `${timestamp}.0`,
          ` ${timestamp}`,
          `${timestamp}000`,
          "-1",
        ]),
        signature: mostly(signed, [
          `v1,${base64.toLowerCase()}`,
          `${sign(OTHER_SECRET, ID, timestamp, text)} ${signed}`,
          `v1 ${signed}`,
          `v1, ${base64}`,
          base64,
        ]),
        body: mostly(text, [`${text} `, text.slice(1), JSON.stringify(text)]),
      });
      const given = mostly(secret, [withoutPrefix(secret), `"${secret}"`, OTHER_SECRET]);

      const verdict = verify(webhook, { secret: given });
      const isAccepted = accepts(webhook, { secret: given, nowMs: START_MS });
      if (verdict.isValid !== isAccepted) disagreements.push({ webhook, given, verdict });
      if (verdict.isValid) valid++;
    }
    expect(disagreements).toEqual([]);
    expect(valid).toBeGreaterThan(200);
    expect(valid).toBeLessThan(600);
  });

  it("warns of a secret without its prefix", () => {
    expect(verify(captured(), { secret: withoutPrefix(SECRET) })).toMatchObject({
      isValid: true,
      warnings: [inWords({ en: expect.stringContaining("whsec_") })],
    });
  });

  it("warns of a timestamp that only lenient verifiers read", () => {
    expect(verify(captured({ timestamp: `${SIGNED_AT}.5` }))).toMatchObject({
      isValid: true,
      warnings: [inWords({ en: expect.stringContaining(`"${SIGNED_AT}.5"`) })],
    });
  });

  it("covers the bytes, even if they are not text", () => {
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
    const key = Buffer.from(withoutPrefix(SECRET), "base64");
    const mac = createHmac("sha256", key).update(`${ID}.${SIGNED_AT}.`).update(body);
    const { headers } = captured({ signature: `v1,${mac.digest("base64")}` });
    expect(verify({ headers, body })).toMatchObject({ isValid: true });
  });
});

describe("a header", () => {
  it.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
    "is said to be missing: %s",
    (name) => {
      const { body, headers } = captured();
      const { [name]: _dropped, ...rest } = headers;
      expect(verify({ headers: rest, body })).toEqual({
        isValid: false,
        mistake: "missing_header",
        text: inWords({ en: `${name} is missing.` }),
      });
    },
  );

  it("is reported as missing together with the others", () => {
    expect(verify({ headers: { host: "localhost" }, body: Buffer.from(BODY) })).toMatchObject({
      mistake: "missing_header",
      text: inWords({ en: "webhook-id, webhook-timestamp and webhook-signature are missing." }),
    });
  });

  it.each(["svix-id", "x-webhook-id", "webhook_id", "http_webhook_id", "x-svix-id"])(
    "is found under another name: %s",
    (name) => {
      const { body, headers } = captured();
      const { "webhook-id": id = "", ...rest } = headers;
      expect(verify({ headers: { ...rest, [name]: id }, body })).toMatchObject({
        mistake: "missing_header",
        text: inWords({ en: expect.stringContaining(name) }),
      });
    },
  );

  it.each([
    ["yesterday", /not a whole number/],
    ["2026-11-21T12:00:00Z", /not a whole number/],
    [`${SIGNED_AT}000`, /milliseconds/],
    [`${SIGNED_AT}000000`, /milliseconds/],
    ["9".repeat(400), /milliseconds/],
  ])("is malformed with the timestamp %s", (timestamp, message) => {
    for (const signature of [
      PARTS.signature,
      sign(SECRET, ID, Number(timestamp), BODY),
      sign(SECRET, ID, Number.NaN, BODY),
    ])
      expect(verify(captured({ timestamp, signature }), { toleranceMs: 1e300 })).toMatchObject({
        mistake: "malformed_header",
        text: inWords({ en: expect.stringMatching(message) }),
      });
  });

  const bare = sign(SECRET, ID, SIGNED_AT, BODY).slice("v1,".length);
  const hex = Buffer.from(bare, "base64").toString("hex");
  it.each([
    ["without its version", bare, /without the "v1,"/],
    ["with an equals sign", `v1=${bare}`, /without the "v1,"/],
    ["of another version", `v2,${bare}`, /without the "v1,"/],
    ["hexadecimal", hex, /hexadecimal/],
    ["hexadecimal behind its version", `v1,${hex}`, /hexadecimal/],
    ["hexadecimal after two blanks", `  v1,${hex}`, /hexadecimal/],
    ["hexadecimal in capitals", `v1,${hex.toUpperCase()}`, /hexadecimal/],
    ["hexadecimal as others write it", `sha256=${hex}`, /hexadecimal/],
    ["asymmetric", `v1a,${bare}`, /asymmetric/],
    ["without its padding", `v1,${bare.slice(0, -1)}`, /32 bytes/],
    ["cut off", `v1,${bare.slice(0, 20)}`, /32 bytes/],
    ["URL-safe", `v1,${bare.replaceAll("/", "_").replaceAll("+", "-").slice(0, 42)}_=`, /32 bytes/],
    ["blank", " ", /without the "v1,"/],
  ])("is malformed with a signature %s", (_title, signature, message) => {
    expect(verify(captured({ signature }))).toMatchObject({
      mistake: "malformed_header",
      text: inWords({ en: expect.stringMatching(message) }),
    });
  });

  it("is cut if it is very long", () => {
    const verdict = verify(captured({ signature: "x".repeat(100_000) }));
    expect("text" in verdict && english(verdict.text).length).toBeLessThan(200);
  });
});

describe("a secret", () => {
  it.each([SECRET])("is recognized where its text was the key: %s", (text) => {
    const content = `${ID}.${SIGNED_AT}.${BODY}`;
    const signature = `v1,${createHmac("sha256", text).update(content).digest("base64")}`;
    for (const secret of [SECRET, withoutPrefix(SECRET), `"${SECRET}"`])
      expect(verify(captured({ signature }), { secret })).toMatchObject({
        mistake: "secret_not_decoded",
      });
  });

  it.each([
    `"${SECRET}"`,
    `'${SECRET}'`,
    ` ${SECRET}`,
    `${SECRET}\r\n`,
    ` "${withoutPrefix(SECRET)}"\n`,
  ])("is recognized inside quotes and blanks: %j", (secret) => {
    expect(verify(captured(), { secret })).toMatchObject({
      mistake: "secret_with_quotes_or_blanks",
    });
  });

  it("is never printed", () => {
    for (const secret of [OTHER_SECRET, `"${SECRET}"`, `${SECRET}!`, "my own password"]) {
      const verdict = verify(captured(), { secret });
      expect(JSON.stringify(verdict)).not.toContain(secret.replaceAll(/\W/g, ""));
      expect(JSON.stringify(verdict)).not.toContain(withoutPrefix(secret));
    }
  });

  it("is another one, or the content is another", () => {
    expect(verify(captured(), { secret: OTHER_SECRET })).toMatchObject({
      isValid: false,
      mistake: "wrong_secret",
    });
  });

  it("is reported as invalid if it is", () => {
    expect(verify(captured(), { secret: "whsec_my own password" })).toMatchObject({
      mistake: "wrong_secret",
      text: inWords({
        en: expect.stringMatching(
          /^The signature was made with another secret.* whsec_ followed by base64\.$/,
        ),
      }),
    });
  });

  it("is not the only possible mistake if the end of the body is missing", () => {
    const { headers, body } = captured();
    const cutOff = body.subarray(0, 50);
    const length = String(body.length);
    expect(
      verify({ headers: { ...headers, "content-length": length }, body: cutOff }),
    ).toMatchObject({
      mistake: "wrong_secret",
      text: inWords({ en: expect.stringContaining(`50 bytes, but content-length is "${length}"`) }),
    });
  });

  it("is reported together with the other mistakes", () => {
    const webhook = { ...captured(), body: Buffer.from(`${BODY}\n`) };
    const verdict = verify(webhook, { secret: ` ${SECRET}` });
    expect(verdict).toMatchObject({
      mistake: "body_changed",
      text: inWords({ en: expect.stringMatching(/line break was added.*quotes or spaces/) }),
    });
  });
});

describe("a timestamp", () => {
  it.each([
    ["stale_timestamp", 301_000, /301 s|5 min ago/],
    ["stale_timestamp", 3 * 3_600_000, /3 h ago.*tolerance of 5 min/],
    ["stale_timestamp", 40 * 86_400_000, /40 days ago/],
    ["future_timestamp", -301_000, /5 min ahead/],
    ["stale_timestamp", 2 * 3_600_000 - 1000, /120 min ago/],
    ["stale_timestamp", 2 * 3_600_000, /2 h ago/],
    ["stale_timestamp", 171_000_000, /48 h ago/],
    ["future_timestamp", -7_300_000, /2 h ahead/],
  ])("is a %s, %d ms later", (mistake, laterMs, message) => {
    expect(verify(captured(), { nowMs: START_MS + laterMs })).toMatchObject({
      isValid: false,
      mistake,
      text: inWords({ en: expect.stringMatching(message) }),
    });
  });

  it("may be off by the tolerance, and no more", () => {
    const isValid = (laterSeconds: number): boolean =>
      verify(captured(), { nowMs: START_MS + laterSeconds * 1000, toleranceMs: 10_000 }).isValid;
    expect([-11, -10, 0, 10, 11].map(isValid)).toEqual([false, true, true, true, false]);
  });

  it("is not reported if the signature is invalid anyway", () => {
    const webhook = { ...captured(), body: Buffer.from(` ${BODY}`) };
    expect(verify(webhook, { nowMs: START_MS + 86_400_000 })).toMatchObject({
      mistake: "body_changed",
    });
  });
});

/** Whether the package that merchants use takes it. */
function accepts(
  { headers, body }: CapturedWebhook,
  { secret, nowMs }: { secret: string; nowMs: number },
): boolean {
  vi.setSystemTime(nowMs);
  try {
    new Webhook(secret).verify(body.toString(), { ...headers }, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

/** Up to 60 characters of every length that UTF-8 has, and those that JSON escapes. */
function randomText(random: () => number): string {
  const alphabet = 'aZ09 .,:{}[]"\\/\n\t\0éçãºß€漢😀\u202e\u2028'.split(/(?:)/u);
  const length = 1 + Math.floor(random() * 60);
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
}

import { timingSafeEqual } from "node:crypto";
import { authenticate, withoutPrefix } from "./signature.ts";

/** A webhook as a merchant received it. */
export interface CapturedWebhook {
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body, unchanged as far as known. */
  readonly body: Buffer;
  /** Whether the capture holds only the parsed body; then `body` is one possible serialization of it. */
  readonly isParsed?: boolean;
}

/** The signed parts of a webhook, and its signatures. */
export interface Signed {
  readonly id: string;
  /** The text of the header. */
  readonly timestamp: string;
  readonly timestampSeconds: number;
  readonly body: Buffer;
  readonly isParsed: boolean;
  /** The entries of the header `webhook-signature`. */
  readonly entries: readonly string[];
  /** The base64 of the entries of version 1. */
  readonly signatures: readonly string[];
  readonly contentLength: string | undefined;
}

/** The pieces of a signed content, in order. */
export type Content = readonly (string | Buffer)[];

/** Reads the headers as the package `standardwebhooks` does. */
export function readSigned({ headers, body, isParsed = false }: CapturedWebhook): Signed {
  const timestamp = headers["webhook-timestamp"] ?? "";
  const entries = (headers["webhook-signature"] ?? "").split(" ").filter((entry) => entry !== "");
  return {
    id: headers["webhook-id"] ?? "",
    timestamp,
    timestampSeconds: Number.parseInt(timestamp, 10),
    body,
    isParsed,
    entries,
    signatures: entries
      .map((entry) => entry.split(","))
      .flatMap(([version, signature]) =>
        version === "v1" && signature !== undefined ? [signature] : [],
      ),
    contentLength: headers["content-length"],
  };
}

/** The key of a secret: its base64 decoded, or the bytes of another text. Undefined if no base64 follows `whsec_`. */
export function toKey(secret: string): Buffer | undefined {
  const text = withoutPrefix(secret);
  const isBase64 = text.length >= 4 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (isBase64) return Buffer.from(text, "base64");
  return text === secret ? Buffer.from(text) : undefined;
}

/** The keys that a secret may mean: a text without `whsec_` signs with its bytes, even if it is base64 as well. */
export function keysOf(secret: string): readonly Buffer[] {
  const key = toKey(secret);
  if (key === undefined) return [];
  return withoutPrefix(secret) === secret ? [Buffer.from(secret), key] : [key];
}

/** The content that Standard Webhooks signs: `id.timestamp.body`. */
export function standardContent({ id, timestampSeconds, body }: Signed): Content {
  return [`${id}.${timestampSeconds}.`, body];
}

export function isSignedWith(key: Buffer, content: Content, { signatures }: Signed): boolean {
  const expected = Buffer.from(authenticate(key, ...content));
  return signatures.some((signature) => {
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

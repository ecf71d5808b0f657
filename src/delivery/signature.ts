import { createHmac } from "node:crypto";

/** What a secret begins with. */
export const PREFIX = "whsec_";

/** A secret's key as `whsec_…`, the way Standard Webhooks writes it. */
export function toSecret(key: Buffer): string {
  return `${PREFIX}${key.toString("base64")}`;
}

/** Any text as a secret: one that Standard Webhooks wrote stays as it is, of another the UTF-8 bytes are the key. */
export function asSecret(text: string): string {
  return /^whsec_[A-Za-z0-9+/]+=*$/.test(text) ? text : toSecret(Buffer.from(text));
}

/** A secret without its `whsec_`; one that has none stays as it is. */
export function withoutPrefix(secret: string): string {
  return secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
}

/**
 * The `webhook-signature` of Standard Webhooks 1.0.0: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
 * @param secret `whsec_…`
 * @param timestampSeconds what stands in `webhook-timestamp`
 */
export function sign(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return `v1,${authenticate(key, `${id}.${timestampSeconds}.${body}`)}`;
}

/** The base64 of HMAC-SHA256 over the pieces of a content, one behind the other. */
export function authenticate(key: Buffer, ...pieces: readonly (string | Buffer)[]): string {
  const hmac = createHmac("sha256", key);
  for (const piece of pieces) hmac.update(piece);
  return hmac.digest("base64");
}

import { createHmac } from "node:crypto";

/** The prefix of a secret. */
export const PREFIX = "whsec_";

/** Encodes a key as a Standard Webhooks secret: `whsec_…`. */
export function toSecret(key: Buffer): string {
  return `${PREFIX}${key.toString("base64")}`;
}

/** Turns any text into a secret. A `whsec_…` secret stays unchanged; any other text's UTF-8 bytes become the key. */
export function asSecret(text: string): string {
  return /^whsec_[A-Za-z0-9+/]+=*$/.test(text) ? text : toSecret(Buffer.from(text));
}

/** A secret without its `whsec_`, if it has one. */
export function withoutPrefix(secret: string): string {
  return secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
}

/**
 * The `webhook-signature` of Standard Webhooks 1.0.0: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
 * @param secret `whsec_…`
 * @param timestampSeconds the value of `webhook-timestamp`
 */
export function sign(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return `v1,${authenticate(key, `${id}.${timestampSeconds}.${body}`)}`;
}

/** The base64 of HMAC-SHA256 over a content, given in pieces. */
export function authenticate(key: Buffer, ...pieces: readonly (string | Buffer)[]): string {
  const hmac = createHmac("sha256", key);
  for (const piece of pieces) hmac.update(piece);
  return hmac.digest("base64");
}

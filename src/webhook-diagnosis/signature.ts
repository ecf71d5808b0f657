import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { SECRET_PREFIX } from "../wire/forms.ts";

/** Encodes a key as a Standard Webhooks secret: `whsec_…`. */
export function toSecret(key: Buffer): string {
  return `${SECRET_PREFIX}${key.toString("base64")}`;
}

/** Turns a valid text into a secret. `whsec_…` stays unchanged; any other text's UTF-8 bytes become the key. */
export function asSecret(text: string): string {
  return text.startsWith(SECRET_PREFIX) ? text : toSecret(Buffer.from(text));
}

/** A secret without its `whsec_`, if it has one. */
export function withoutPrefix(secret: string): string {
  return secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
}

/**
 * The `webhook-signature` of Standard Webhooks 1.0.0: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
 * @param secret `whsec_…`
 * @param timestampSeconds the value of `webhook-timestamp`
 */
export function sign(secret: string, id: string, timestampSeconds: number, body: string): string {
  return `v1,${authenticate(keyOf(secret), `${id}.${timestampSeconds}.${body}`)}`;
}

let lastSecret = "";
let lastKey: KeyObject | undefined;

/** The key of a secret. Nearly all webhooks have the same one, so the last one is stored. */
function keyOf(secret: string): KeyObject {
  if (lastKey === undefined || secret !== lastSecret) {
    lastKey = createSecretKey(secret.slice(SECRET_PREFIX.length), "base64");
    lastSecret = secret;
  }
  return lastKey;
}

/** The base64 of HMAC-SHA256 over a content, given in pieces. */
export function authenticate(
  key: Buffer | KeyObject,
  ...pieces: readonly (string | Buffer)[]
): string {
  const hmac = createHmac("sha256", key);
  for (const piece of pieces) hmac.update(piece);
  return hmac.digest("base64");
}

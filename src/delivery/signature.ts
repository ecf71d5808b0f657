import { createHmac } from "node:crypto";

const PREFIX = "whsec_";

/** A secret's key as `whsec_…`, the way Standard Webhooks writes it. */
export function toSecret(key: Buffer): string {
  return `${PREFIX}${key.toString("base64")}`;
}

/**
 * The `webhook-signature` of Standard Webhooks 1.0.0: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
 * @param secret `whsec_…`
 * @param timestampSeconds what stands in `webhook-timestamp`
 */
export function sign(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestampSeconds}.${body}`).digest("base64")}`;
}

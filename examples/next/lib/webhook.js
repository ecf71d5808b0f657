import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Verifies a webhook's signature, as Standard Webhooks defines it.
 * @param body the raw bytes of the request, before any JSON parser
 * @param now in seconds
 */
export function isGenuine(body, headers, secret, now = Date.now() / 1000) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  if (!(Math.abs(now - Number(timestamp)) <= 300)) return false;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const hmac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
  const expected = Buffer.from(`v1,${hmac.digest("base64")}`);
  return (headers["webhook-signature"] ?? "").split(" ").some((signature) => {
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** The result of checking the signature of an attempt. */
export type SignatureCheck = "right" | "wrong" | "unsigned" | "unavailable";

/** What was sent, by the names of Standard Webhooks. */
export interface Signed {
  /** `webhook-id`. */
  readonly id: string;
  /** `webhook-timestamp`, in seconds. */
  readonly timestamp: string;
  readonly body: string;
  /** `webhook-signature`: signatures such as `v1,BASE64`, separated by spaces. Undefined if none was sent. */
  readonly signature: string | undefined;
}

const PREFIX = "whsec_";
const VERSION = "v1,";

/**
 * Checks a webhook's signature as a merchant does, except for the age of its timestamp.
 * @param secret `whsec_` and the base64 of the key
 * @param subtle undefined where the browser has none: it needs HTTPS, or the address of this machine
 */
export async function checkSignature(
  secret: string,
  { id, timestamp, body, signature }: Signed,
  subtle: typeof globalThis.crypto.subtle | undefined = globalThis.crypto.subtle,
): Promise<SignatureCheck> {
  if (signature === undefined) return "unsigned";
  if (!subtle) return "unavailable";
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (!bytes) return "wrong";
  const key = await subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const one of signature.split(" ")) {
    const sent = one.startsWith(VERSION) ? bytesOf(one.slice(VERSION.length)) : undefined;
    if (sent && (await subtle.verify(algorithm, key, sent, signed))) return "right";
  }
  return "wrong";
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

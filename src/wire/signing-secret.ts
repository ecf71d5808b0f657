import { type Message, say } from "../text/message.ts";

/** The prefix of a Standard Webhooks secret. Base64 of the key follows. */
export const SECRET_PREFIX = "whsec_";

/**
 * Whether a text can be a secret that signs webhooks: `whsec_` and the base64 of at least one byte, or any other text
 * that is not blank.
 */
export function isSigningSecret(text: string): boolean {
  const secret = text.trim();
  return secret.startsWith(SECRET_PREFIX)
    ? BASE64.test(secret.slice(SECRET_PREFIX.length))
    : secret !== "";
}

/** With or without padding, and at least 4 characters: verifiers refuse fewer. */
const BASE64 = /^(?=.{4})(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{2}(?:==)?)?$/;

/** What {@link isSigningSecret} accepts. */
export const SIGNING_SECRET_RULE: Message = say`A secret is whsec_ and base64, or another text that is not empty.`;

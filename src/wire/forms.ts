import { type Message, say } from "../text/message.ts";
import { toUrl } from "./names.ts";

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

/** Whether a text can be a control token: a header must be able to contain it as one word. */
export function isControlToken(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

/** The pattern of a snapshot's name: every file system accepts it and distinguishes it from every other. */
export const SNAPSHOT_NAME = "^[a-z0-9][a-z0-9._-]{0,63}$";

export function isSnapshotName(text: string): boolean {
  return new RegExp(SNAPSHOT_NAME).test(text);
}

export const WRONG_SNAPSHOT_NAME: Message = say`name must be 1 to 64 lower-case letters, digits, dots, hyphens and underscores, and begin with a letter or digit.`;

/**
 * Reads an origin, such as `http://localhost:5173` or `capacitor://localhost`.
 * @returns the origin as browsers send it; undefined for any other text, such as one with a path or a pattern.
 */
export function toOrigin(text: string): string | undefined {
  const url = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@\\*]+\/?$/i.test(text) ? toUrl(text) : undefined;
  if (!url) return undefined;
  const { origin, protocol, host } = url;
  // `URL` gives an origin only for the web's own schemes.
  return origin === "null" ? `${protocol}//${host.toLowerCase()}` : origin;
}

/** The pattern of a choice's name, with a positive integer in place of `<seconds>`. */
export function patternOf(choice: string): string {
  return `^${choice.replace(/<.*>$/, "[1-9][0-9]{0,14}")}$`;
}

/** Whether a text is a choice that the table has by this name. */
export function isWrittenAs(text: string, choice: string): boolean {
  return new RegExp(patternOf(choice)).test(text);
}

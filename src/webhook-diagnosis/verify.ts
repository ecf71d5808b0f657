import { withoutPrefix } from "./signature.ts";
import { diagnose } from "./diagnosis.ts";
import { type Flaw, quote, toDuration } from "./flaw.ts";
import { FIRST_MILLISECONDS, findMalformed, findMissingHeaders } from "./headers.ts";
import {
  type CapturedWebhook,
  isSignedWith,
  readSigned,
  type Signed,
  standardContent,
  keysOf,
} from "./signed.ts";
import { type Message, say } from "../text/message.ts";

export type { Mistake } from "./flaw.ts";

export interface Verification {
  /** `whsec_…`, or another text whose bytes are the key. */
  readonly secret: string;
  readonly nowMs: number;
  /** How far the timestamp may be from `nowMs`, in either direction. */
  readonly toleranceMs: number;
}

export type Verdict =
  | {
      readonly isValid: true;
      readonly id: string;
      readonly signedAtMs: number;
      /** Reasons for which stricter verifiers may reject the webhook. */
      readonly warnings: readonly Message[];
    }
  | ({ readonly isValid: false } & Flaw);

/** The tolerance of Standard Webhooks verifiers for timestamps. */
export const STANDARD_TOLERANCE_MS = 5 * 60 * 1000;

/** Verifies a webhook's signature by Standard Webhooks 1.0.0; if it is not valid, diagnoses which usual mistake was made. */
export function verifyWebhook(webhook: CapturedWebhook, verification: Verification): Verdict {
  const missing = findMissingHeaders(webhook.headers);
  if (missing) return { isValid: false, ...missing };
  const signed = readSigned(webhook);
  const { secret } = verification;
  const isCorrect =
    !webhook.isParsed &&
    signed.timestampSeconds < FIRST_MILLISECONDS &&
    keysOf(secret).some((key) => isSignedWith(key, standardContent(signed), signed));
  const untimely = findUntimely(signed.timestampSeconds, verification);
  if (isCorrect && !untimely) {
    const { id, timestampSeconds } = signed;
    const warnings = [...warnOfSecret(secret), ...warnOfTimestamp(signed)];
    return { isValid: true, id, signedAtMs: timestampSeconds * 1000, warnings };
  }
  const flaw =
    findMalformed(signed) ?? (isCorrect && untimely ? untimely : diagnose(signed, secret));
  return { isValid: false, ...flaw };
}

function findUntimely(
  timestampSeconds: number,
  { nowMs, toleranceMs }: Verification,
): Flaw | undefined {
  const ageSeconds = Math.floor(nowMs / 1000) - timestampSeconds;
  if (Math.abs(ageSeconds) * 1000 <= toleranceMs) return undefined;
  const distance = toDuration(Math.abs(ageSeconds));
  const limit = toDuration(toleranceMs / 1000);
  const rejected = say`a verifier with a tolerance of ${limit} rejects it`;
  return ageSeconds > 0
    ? {
        mistake: "stale_timestamp",
        text: say`The signature is correct, but it was made ${distance} ago, and ${rejected}.`,
      }
    : {
        mistake: "future_timestamp",
        text: say`The signature is correct, but its timestamp is ${distance} ahead, and ${rejected}.`,
      };
}

function warnOfSecret(secret: string): Message[] {
  const hasPrefix = withoutPrefix(secret) !== secret;
  return hasPrefix
    ? []
    : [say`The secret does not start with whsec_, which some verifiers require.`];
}

function warnOfTimestamp({ timestamp }: Signed): Message[] {
  if (/^\d+$/.test(timestamp)) return [];
  const quoted = quote(timestamp);
  return [say`webhook-timestamp is ${quoted}, which stricter verifiers reject.`];
}

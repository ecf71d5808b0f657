import { afterEach, beforeEach, vi } from "vitest";
import { sign } from "../../../src/webhook-diagnosis/signature.ts";
import type { CapturedWebhook } from "../../../src/webhook-diagnosis/signed.ts";
import {
  type Verdict,
  type Verification,
  verifyWebhook,
} from "../../../src/webhook-diagnosis/verify.ts";
import { START_MS } from "../../support/core.ts";
import { SECRET } from "../../support/vectors.ts";

export const ID = "evt_0123456789abcdef0123456789abcdef";
export const SIGNED_AT = START_MS / 1000;
export const BODY =
  '{"id":"evt_1","type":"payin.paid","data":{"value":10.5,"buyer_name":"José Ação 😀","count":10,"url":"http://a/b"}}';

/** What a request is made of. */
export interface Parts {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
}

export const PARTS: Parts = {
  id: ID,
  timestamp: String(SIGNED_AT),
  signature: sign(SECRET, ID, SIGNED_AT, BODY),
  body: BODY,
};

/** An intact request, but for what is said. */
export function captured(parts: Partial<Parts> = {}): CapturedWebhook {
  const { id, timestamp, signature, body } = { ...PARTS, ...parts };
  return {
    headers: {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signature,
    },
    body: Buffer.from(body),
  };
}

export function verify(
  webhook: CapturedWebhook,
  verification: Partial<Verification> = {},
): Verdict {
  return verifyWebhook(webhook, {
    secret: SECRET,
    nowMs: START_MS,
    toleranceMs: 300_000,
    ...verification,
  });
}

export function withoutPrefix(secret: string): string {
  return secret.replace(/^whsec_/, "");
}

export function useFakeDate(): void {
  // The witness asks the machine for the time.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());
}

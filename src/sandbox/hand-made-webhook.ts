import { wallNowMs } from "../platform/real-time.ts";
import { sign } from "../delivery/signature.ts";

/** How a hand-made webhook is signed: as the gateway does, or in a way that a handler must refuse. */
export const SIGNATURES = ["valid", "other_bytes", "garbage", "old"] as const;
export type SignatureKind = (typeof SIGNATURES)[number];

/** How its JSON is written: as the gateway does, or with the same meaning and other bytes. */
export const SPELLINGS = ["usual", "unusual"] as const;
export type Spelling = (typeof SPELLINGS)[number];

/** Older than any verifier of Standard Webhooks accepts. */
const OLD_S = 10 * 60;

/** A webhook that the gateway itself never sends. */
export interface HandMadeWebhook {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly signature: SignatureKind;
  readonly spelling: Spelling;
}

/** Writes and signs a webhook. @param secret `whsec_…` */
export function toSigned(webhook: HandMadeWebhook, secret: string) {
  const { id, type, createdAt, data, signature, spelling } = webhook;
  const body = write({ id, type, created_at: createdAt, data }, spelling);
  const seconds = Math.floor(wallNowMs() / 1000) - (signature === "old" ? OLD_S : 0);
  const signed = signature === "other_bytes" ? `${body} ` : body;
  return {
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(seconds),
      "webhook-signature": signature === "garbage" ? "v1,any" : sign(secret, id, seconds, signed),
    },
  };
}

/** Unusual: with blanks, `10.50` and escaped letters. */
function write(value: unknown, spelling: Spelling): string {
  if (spelling === "usual") return JSON.stringify(value);
  return JSON.stringify(value, null, 2)
    .replaceAll(/(": \d+\.\d)(?=,?$)/gm, "$10")
    .replaceAll(
      /[^ -~\n]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}

import { wallNowMs } from "../platform/real-time.ts";
import { asSecret, sign } from "../webhook-diagnosis/signature.ts";
import { writeUnusually } from "./unusual-json.ts";

/** How a hand-made webhook is signed: as the gateway does, or in a way that a handler must refuse. */
export const SIGNATURES = ["valid", "other_bytes", "garbage", "old"] as const;
export type SignatureKind = (typeof SIGNATURES)[number];

/** How its JSON is written: as the gateway does, or with the same meaning and other bytes. */
export const SPELLINGS = ["usual", "unusual"] as const;
type Spelling = (typeof SPELLINGS)[number];

/** Ten minutes: older than any verifier of Standard Webhooks accepts. */
export const OLD_S = 10 * 60;

/** A webhook, ready to send: Standard Webhooks headers and the exact body. */
export interface SignedWebhook {
  readonly id: string;
  /** In seconds. */
  readonly timestamp: number;
  readonly signature: string;
  readonly body: string;
  /** A header that is not sent. */
  readonly without?: keyof ReturnType<typeof allHeadersOf>;
  /** Whether the names of the headers begin with capital letters, as HTTP/1.1 servers often write them. */
  readonly isCapitalized?: boolean;
}

/** The content of a webhook's body. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Signs a body. @param ageSeconds how long ago it was signed */
export function signBody(id: string, body: string, secret: string, ageSeconds = 0): SignedWebhook {
  const timestamp = Math.floor(wallNowMs() / 1000) - ageSeconds;
  return { id, timestamp, body, signature: sign(asSecret(secret), id, timestamp, body) };
}

export function headersOf(webhook: SignedWebhook): Record<string, string> {
  const { without, isCapitalized = false } = webhook;
  const headers = Object.entries(allHeadersOf(webhook)).filter(([name]) => name !== without);
  const written = (name: string): string => name.replaceAll(/\b[a-z]/g, (one) => one.toUpperCase());
  return Object.fromEntries(
    headers.map(([name, value]) => [isCapitalized ? written(name) : name, value]),
  );
}

function allHeadersOf({ id, timestamp, signature }: SignedWebhook) {
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signature,
  } as const;
}

/** Writes and signs a webhook that the gateway itself never sends. */
export function toSigned(
  event: WebhookEvent,
  secret: string,
  { signature, spelling }: { readonly signature: SignatureKind; readonly spelling: Spelling },
) {
  const body = spelling === "usual" ? JSON.stringify(event) : writeUnusually(event);
  const signedBody = signature === "other_bytes" ? `${body} ` : body;
  const signed = signBody(event.id, signedBody, secret, signature === "old" ? OLD_S : 0);
  const shown = signature === "garbage" ? { ...signed, signature: "v1,any" } : signed;
  return { body, headers: headersOf(shown) };
}

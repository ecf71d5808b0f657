import { wallNowMs } from "../platform/real-time.ts";
import { asSecret, sign } from "../webhook-diagnosis/signature.ts";

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

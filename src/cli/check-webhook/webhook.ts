import { asSecret, sign } from "../../sandbox/tools.ts";
import { wallNowMs } from "../../platform/real-time.ts";

/** A webhook, ready to send: Standard Webhooks headers and the exact body. */
export interface Webhook {
  readonly id: string;
  /** In seconds. */
  readonly timestamp: number;
  readonly signature: string;
  readonly body: string;
}

/** The content of a webhook's body. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function newEventId(): string {
  return `evt_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** Signs a body. @param ageSeconds how long ago it was signed */
export function signBody(id: string, body: string, secret: string, ageSeconds = 0): Webhook {
  const timestamp = Math.floor(wallNowMs() / 1000) - ageSeconds;
  return { id, timestamp, body, signature: sign(asSecret(secret), id, timestamp, body) };
}

/** Signs an event as the sandbox writes it. */
export function signEvent(event: WebhookEvent, secret: string): Webhook {
  return signBody(event.id, JSON.stringify(event), secret);
}

export function headersOf({ id, timestamp, signature }: Webhook): Record<string, string> {
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signature,
  };
}

/** The command line that sends the same bytes. Its signature is valid for five minutes. */
export function toCurl(url: string, webhook: Webhook): string {
  const headers = Object.entries(headersOf(webhook)).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
  );
  return ["curl -i", ...headers, `--data-raw ${quoted(webhook.body)}`, quoted(url)].join(" ");
}

/** A text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

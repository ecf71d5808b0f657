import { printableWord } from "../../text/plain/shell-word.ts";
import { headersOf, signBody, type SignedWebhook } from "../hand-made-webhook.ts";

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

/** Signs an event as the sandbox writes it. */
export function signEvent(event: WebhookEvent, secret: string): SignedWebhook {
  return signBody(event.id, JSON.stringify(event), secret);
}

/** The command line that sends the same bytes. Its signature is valid for five minutes. */
export function toCurl(url: string, webhook: SignedWebhook): string {
  const headers = Object.entries(headersOf(webhook)).map(
    ([name, value]) => `-H ${printableWord(`${name}: ${value}`)}`,
  );
  return [
    "curl -i",
    ...headers,
    `--data-raw ${printableWord(webhook.body)}`,
    printableWord(url),
  ].join(" ");
}

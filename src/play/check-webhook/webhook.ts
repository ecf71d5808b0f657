import { toIso } from "../../wire/timestamp.ts";
import { printableWord } from "../../text/plain/safe-text.ts";
import {
  headersOf,
  signBody,
  type SignedWebhook,
  type WebhookEvent,
} from "../hand-made-webhook.ts";

export function newEventId(): string {
  return `evt_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** The same event of another transaction. */
export function withNewIds({ type, created_at, data }: WebhookEvent): WebhookEvent {
  return {
    id: newEventId(),
    type,
    created_at,
    data: {
      ...data,
      id: crypto.randomUUID(),
      pix_id: crypto.randomUUID().replaceAll("-", ""),
      acquirer_id: crypto.randomUUID(),
      end_to_end_id: newEndToEndId(data["end_to_end_id"]),
    },
  };
}

/** The payment of a charge, as the sandbox reports it. @param paid a payment that the sandbox has reported */
export function paymentOf(
  record: Readonly<Record<string, unknown>>,
  paid: WebhookEvent,
  nowMs: number,
): WebhookEvent {
  const { integration: _, ...members } = record;
  const now = toIso(nowMs);
  return {
    id: newEventId(),
    type: "payin.paid",
    created_at: now,
    data: {
      ...members,
      status: paid.data["status"],
      end_to_end_id: newEndToEndId(paid.data["end_to_end_id"]),
      settled_at: now,
    },
  };
}

/** `E`, the bank's ISPB and the time stay; the rest is new. */
function newEndToEndId(model: unknown): unknown {
  if (typeof model !== "string") return model;
  return model.slice(0, -11) + crypto.randomUUID().replaceAll("-", "").slice(0, 11);
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
  const body = `--data-raw ${printableWord(webhook.body)}`;
  return ["curl -i", ...headers, body, printableWord(url)].join(" ");
}

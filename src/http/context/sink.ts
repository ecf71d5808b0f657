import type * as z from "zod";
import { SINK_PATH } from "../../wire/names.ts";
import { toIso } from "../../wire/timestamp.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { cut, redact, Ring } from "./request-log.ts";
import type { Call } from "../calls/call.ts";
import type { sinkWebhook } from "../schemas/rows.ts";
import type { Message } from "../../text/message.ts";
import { type Language, translate } from "../../text/languages.ts";

/** A request to the sink, with its body read. */
interface SinkRequest<Headers> {
  /** The id at the end of the address. */
  readonly sink: string;
  readonly headers: Headers;
  /** JSON. */
  readonly body: string;
}

/** A webhook as it is shown, before its message is translated. */
export interface SinkWebhook extends Omit<z.output<typeof sinkWebhook>, "message"> {
  readonly message: Message | null;
}

interface SinkParts {
  /** How many webhooks it stores. */
  readonly keep: number;
  readonly sandboxNowMs: () => number;
  /** The integration of a delivery; null for an unknown delivery. */
  readonly integrationOf: (deliveryId: string) => string | null;
  /** Why it is no valid webhook of the integration, by a name and in words; null if it is one. */
  readonly verify: (
    request: SinkRequest<Readonly<Record<string, string>>>,
    integration: string | null,
  ) => { readonly mistake: string; readonly text: Message } | null;
}

/** The sandbox's own webhook receiver: verifies each webhook and stores the newest ones. */
export class Sink extends Ring<SinkWebhook> {
  readonly #parts: SinkParts;

  constructor(parts: SinkParts) {
    super(parts.keep, "sink_");
    this.#parts = parts;
  }

  receive({ sink, headers: sent, body }: SinkRequest<Call["headers"]>): void {
    const headers = redact(sent);
    const { id, type, data } = JSON.parse(body) as Readonly<Record<string, unknown>>;
    const webhookId = headers["webhook-id"] ?? textOf(id);
    const integration = webhookId === null ? null : this.#parts.integrationOf(webhookId);
    const flaw = this.#parts.verify({ sink, headers, body }, integration);
    this.add({
      webhook_id: webhookId,
      at: toIso(wallNowMs()),
      sandbox_at: toIso(this.#parts.sandboxNowMs()),
      sink,
      type: textOf(type),
      transaction_id: textOf((data as { id?: unknown } | null | undefined)?.id),
      verified: flaw === null,
      mistake: flaw?.mistake ?? null,
      message: flaw?.text ?? null,
      headers,
      body: cut(body),
      integration,
    });
  }
}

/** The id of a sink by its path; undefined for any other path. */
export function sinkOf(path: string): string | undefined {
  const [, id] = new RegExp(`^${SINK_PATH}([A-Za-z0-9_-]{1,64})$`).exec(path) ?? [];
  return id;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function toWireSinkWebhook(webhook: SinkWebhook, language: Language) {
  return { ...webhook, message: webhook.message && translate(webhook.message, language) };
}

import { SINK_PATH } from "../../wire/names.ts";
import { toIso } from "../../wire/timestamp.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { cut, redact, Ring, type RingEntry } from "./request-log.ts";
import type { Call } from "../calls/call.ts";
import type { Message } from "../../text/message.ts";
import { type Language, translate } from "../../text/languages.ts";

/** A request to the sink, with its body read. */
export interface SinkRequest {
  /** The id at the end of the address. */
  readonly sink: string;
  readonly headers: Call["headers"];
  /** JSON. */
  readonly body: string;
}

/** Why a webhook is not valid. */
export interface SinkFlaw {
  /** A name for scripts. */
  readonly mistake: string;
  readonly text: Message;
}

export interface SinkWebhook extends RingEntry, SinkRequest {
  /** The event's id; null if neither the headers nor the body have one. */
  readonly webhookId: string | null;
  readonly type: string | null;
  readonly transactionId: string | null;
  /** Real time. */
  readonly atMs: number;
  readonly sandboxAtMs: number;
  /** Null if the webhook is valid. */
  readonly flaw: SinkFlaw | null;
}

interface SinkParts {
  /** How many webhooks it stores. */
  readonly keep: number;
  readonly sandboxNowMs: () => number;
  /** The integration of a delivery; null for an unknown delivery. */
  readonly integrationOf: (deliveryId: string) => string | null;
  /** @returns null for a valid webhook of the integration */
  readonly verify: (request: SinkRequest, integration: string | null) => SinkFlaw | null;
}

/** The sandbox's own webhook receiver: verifies each webhook and stores the newest ones. */
export class Sink extends Ring<SinkWebhook> {
  readonly #parts: SinkParts;

  constructor(parts: SinkParts) {
    super(parts.keep, "sink_");
    this.#parts = parts;
  }

  receive(request: SinkRequest): void {
    const event = readEvent(request);
    const integration =
      event.webhookId === null ? null : this.#parts.integrationOf(event.webhookId);
    this.add({
      ...request,
      ...event,
      integration,
      atMs: wallNowMs(),
      sandboxAtMs: this.#parts.sandboxNowMs(),
      flaw: this.#parts.verify(request, integration),
    });
  }
}

export const SINK_RESPONSE = {};

/** The id of a sink by its path; undefined for any other path. */
export function sinkOf(path: string): string | undefined {
  const [, id] = new RegExp(`^${SINK_PATH}([A-Za-z0-9_-]{1,64})$`).exec(path) ?? [];
  return id;
}

/** What a webhook says of its event; null for what it does not say. */
function readEvent({ headers, body }: SinkRequest) {
  const { id, type, data } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  return {
    webhookId: redact(headers)["webhook-id"] ?? textOf(id),
    type: textOf(type),
    transactionId: textOf((data as { id?: unknown } | null | undefined)?.id),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A webhook as the control route shows it: secrets in headers are redacted, a long body is cut. */
export function toWireSinkWebhook(webhook: SinkWebhook, language: Language) {
  const { flaw } = webhook;
  return {
    id: webhook.id,
    webhook_id: webhook.webhookId,
    at: toIso(webhook.atMs),
    sandbox_at: toIso(webhook.sandboxAtMs),
    sink: webhook.sink,
    type: webhook.type,
    transaction_id: webhook.transactionId,
    verified: flaw === null,
    mistake: flaw?.mistake ?? null,
    message: flaw && translate(flaw.text, language),
    headers: redact(webhook.headers),
    body: cut(webhook.body),
    integration: webhook.integration,
  };
}

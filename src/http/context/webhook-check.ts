import { LocalizedError } from "../../core/records/errors.ts";
import type { WireWebhookCheck } from "../../review/webhook-check.ts";
import type { Language } from "../../text/languages.ts";
import type { Message } from "../../text/message.ts";

export interface WebhookCheckOrder {
  /** The address of the handler. */
  readonly url: string;
  /** The address that shows what became of an order, with placeholders of its charge's members. */
  readonly effect?: string | undefined;
  /** The integration whose secret signs; null for the sandbox's own. */
  readonly token: string | null;
  readonly language: Language;
  readonly signal: AbortSignal;
}

type Why = "url" | "effect" | "busy";

/** Checks a handler, one at a time. @throws UncheckedHandler */
export type CheckWebhook = (order: WebhookCheckOrder) => Promise<WireWebhookCheck>;

/** A handler is not checked: its address or that of its effect is not allowed, or another check is under way. */
export class UncheckedHandler extends LocalizedError {
  override readonly name = "UncheckedHandler";
  readonly why: Why;

  constructor(why: Why, text: Message) {
    super(text);
    this.why = why;
  }
}

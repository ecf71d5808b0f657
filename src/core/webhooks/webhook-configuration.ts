/** The events that a configured webhook may ask for, as the specification names them. */
export const CONFIGURED_EVENTS = ["payment.received", "payment.failed"] as const;
export type ConfiguredEvent = (typeof CONFIGURED_EVENTS)[number];

/** An address of the integration's own, told beside each transaction's `webhook_url`. */
export interface WebhookConfiguration {
  readonly integration: string;
  readonly webhookUrl: string;
  readonly events: readonly ConfiguredEvent[];
}

/** The events that a configured webhook can subscribe to, by the specification's names. */
export const CONFIGURED_EVENTS = ["payment.received", "payment.failed"] as const;
export type ConfiguredEvent = (typeof CONFIGURED_EVENTS)[number];

/** An integration's address for events, in addition to each transaction's `webhook_url`. */
export interface WebhookConfiguration {
  readonly integration: string;
  readonly webhookUrl: string;
  readonly events: readonly ConfiguredEvent[];
}

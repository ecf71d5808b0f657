import type { WebhookSender } from "./ports.ts";
import type { Delivery } from "../records/delivery.ts";

/** The part of a sender that the gateway uses. */
export type DeliverySink = Pick<WebhookSender, "start" | "drop">;

/** Passes the gateway's due deliveries on to the sender that is connected, so that either can be created first. */
export class Outbox implements DeliverySink {
  #sender: DeliverySink | undefined;

  connect(sender: DeliverySink): void {
    this.#sender = sender;
  }

  start(delivery: Delivery): void {
    this.#sender?.start(delivery);
  }

  drop(integration: string | null): void {
    this.#sender?.drop(integration);
  }
}

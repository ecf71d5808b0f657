import type { Assumptions } from "../assumptions/table.ts";
import { type Delivery, type EventType, firstDueMs } from "./delivery.ts";
import type { WebhookEffect } from "../faults/effects.ts";
import { toIso } from "../../wire/timestamp.ts";
import type { WebhookConfiguration } from "./webhook-configuration.ts";
import type { WireObject } from "../../wire/json.ts";
import { isPaid, type Payin, toWebhookPayin } from "./payin.ts";
import { type Payout, toWebhookPayout } from "./payout.ts";

/** The inputs of the events of one settled transaction. */
export interface EventSource {
  readonly assumptions: Assumptions;
  readonly configuration: WebhookConfiguration | undefined;
  /** The id of the transaction's event of a type; the same at every call. */
  readonly eventId: (type: EventType) => string;
  readonly nextEventNumber: () => number;
  /** Takes the fault that applies to a webhook; absent if there are no faults. */
  readonly takeFault?: ((url: string, data: WireObject) => WebhookEffect | undefined) | undefined;
  readonly nowMs: number;
}

/** The webhooks that report a payin's final status, one delivery each. */
export function payinDeliveries(payin: Payin, source: EventSource): Delivery[] {
  const wasPaid = isPaid(payin.status);
  const own = wasPaid
    ? "payin.paid"
    : payin.status === "expired"
      ? expiryEvent(source.assumptions)
      : undefined;
  return deliveriesOf(payin, () => toWebhookPayin(payin, source.assumptions), own, wasPaid, source);
}

/** The webhooks that report a payout's final status, one delivery each. */
export function payoutDeliveries(payout: Payout, source: EventSource): Delivery[] {
  const isCompleted = payout.status === "completed";
  const own = isCompleted ? "payout.completed" : "payout.canceled";
  return deliveriesOf(
    payout,
    () => toWebhookPayout(payout, source.assumptions),
    own,
    isCompleted,
    source,
  );
}

function expiryEvent(assumptions: Assumptions): EventType | undefined {
  return assumptions["payin.expiry_event"] === "webhook" ? "payin.expired" : undefined;
}

function deliveriesOf(
  transaction: Payin | Payout,
  toData: () => WireObject,
  own: EventType | undefined,
  isSuccess: boolean,
  source: EventSource,
): Delivery[] {
  const { configuration } = source;
  const configured = isSuccess ? "payment.received" : "payment.failed";
  const deliveries: Delivery[] = [];
  if (own)
    deliveries.push(createDelivery(transaction, toData(), own, transaction.webhookUrl, source));
  if (configuration?.events.includes(configured)) {
    deliveries.push(
      createDelivery(transaction, toData(), configured, configuration.webhookUrl, source),
    );
  }
  return deliveries;
}

function createDelivery(
  { id: transactionId, integration }: Payin | Payout,
  data: WireObject,
  type: EventType,
  url: string,
  { eventId, nextEventNumber, takeFault, nowMs }: EventSource,
): Delivery {
  const id = eventId(type);
  const fault = takeFault?.(url, data);
  return {
    id,
    integration,
    type,
    transactionId,
    url,
    body: JSON.stringify({ id, type, created_at: toIso(nowMs), data }),
    status: "pending",
    attempts: [],
    nextAttemptAtMs: firstDueMs({ createdAtMs: nowMs, fault }),
    createdAtMs: nowMs,
    eventNumber: nextEventNumber(),
    ...(fault && { fault }),
  };
}

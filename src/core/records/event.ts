import type { AssumptionName, Assumptions } from "../assumptions/table.ts";
import { type Delivery, EVENT_TYPES, type EventType, firstDueMs } from "./delivery.ts";
import { toIso } from "../../wire/timestamp.ts";
import type { WebhookConfiguration } from "./webhook-configuration.ts";
import type { WireObject } from "../../wire/json.ts";
import { type Payin, type PayinStatus, toWebhookPayin } from "./payin.ts";
import { type Payout, type PayoutStatus, toWebhookPayout } from "./payout.ts";

/** The inputs of the events of one settled transaction. */
export interface EventSource {
  readonly assumptions: Assumptions;
  readonly configuration: WebhookConfiguration | undefined;
  /** The id of the transaction's event of a type; the same at every call. */
  readonly eventId: (type: EventType) => string;
  /** Takes the fault that applies to a webhook; absent if there are no faults. */
  readonly takeFault?:
    | ((url: string, data: WireObject) => Pick<Delivery, "fault" | "faultId">)
    | undefined;
  readonly nowMs: number;
}

interface EventRow {
  readonly of: "payin" | "payout" | "either";
  /** The final statuses that it reports. */
  readonly statuses: readonly (PayinStatus | PayoutStatus)[];
  /** Its existence depends on them. */
  readonly dependsOn: readonly AssumptionName[];
}

const SUCCESS = ["paid", "completed"] as const;
const FAILURE = ["expired", "canceled"] as const;

/** What each event reports. A configured event goes to the configured address, in addition to the other one. */
export const EVENTS: Readonly<Record<EventType, EventRow>> = {
  "payin.paid": { of: "payin", statuses: SUCCESS, dependsOn: [] },
  "payin.expired": { of: "payin", statuses: ["expired"], dependsOn: ["payin.expiry_event"] },
  "payout.completed": { of: "payout", statuses: ["completed"], dependsOn: [] },
  "payout.canceled": { of: "payout", statuses: ["canceled"], dependsOn: [] },
  "payment.received": { of: "either", statuses: SUCCESS, dependsOn: ["webhook.configuration"] },
  "payment.failed": { of: "either", statuses: FAILURE, dependsOn: ["webhook.configuration"] },
};

/**
 * The events that report a transaction's final status.
 * @param configured the events for which an address is configured
 */
export function eventsReporting(
  noun: "payin" | "payout",
  status: PayinStatus | PayoutStatus,
  assumptions: Pick<Assumptions, "payin.expiry_event">,
  configured: readonly string[],
): EventType[] {
  return EVENT_TYPES.filter((type) => {
    const { of, statuses } = EVENTS[type];
    if (!statuses.includes(status)) return false;
    if (of === "either") return configured.includes(type);
    if (type === "payin.expired" && assumptions["payin.expiry_event"] !== "webhook") return false;
    return of === noun;
  });
}

/** The webhooks that report a payin's final status, one delivery each. */
export function payinDeliveries(payin: Payin, source: EventSource): Delivery[] {
  return deliveriesOf("payin", payin, () => toWebhookPayin(payin, source.assumptions), source);
}

/** The webhooks that report a payout's final status, one delivery each. */
export function payoutDeliveries(payout: Payout, source: EventSource): Delivery[] {
  return deliveriesOf("payout", payout, () => toWebhookPayout(payout, source.assumptions), source);
}

function deliveriesOf(
  noun: "payin" | "payout",
  transaction: Payin | Payout,
  toData: () => WireObject,
  source: EventSource,
): Delivery[] {
  const { assumptions, configuration } = source;
  const configured = configuration?.events ?? [];
  return eventsReporting(noun, transaction.status, assumptions, configured).flatMap((type) => {
    const { webhookUrl: url } = EVENTS[type].of === noun ? transaction : (configuration ?? {});
    return url === undefined ? [] : createDelivery(transaction, toData(), type, url, source);
  });
}

function createDelivery(
  { id: transactionId, integration }: Payin | Payout,
  data: WireObject,
  type: EventType,
  url: string,
  { eventId, takeFault, nowMs }: EventSource,
): Delivery {
  const id = eventId(type);
  const faulty = takeFault?.(url, data);
  return {
    id,
    integration,
    type,
    transactionId,
    url,
    body: JSON.stringify({ id, type, created_at: toIso(nowMs), data }),
    status: "pending",
    attempts: [],
    nextAttemptAtMs: firstDueMs({ createdAtMs: nowMs, ...faulty }),
    createdAtMs: nowMs,
    ...faulty,
  };
}

import type { AssumptionName, Assumptions } from "../assumptions/table.ts";
import { type Effect, numberOf, partsOf } from "../faults/effects.ts";
import {
  type EventType,
  type Kind,
  type Transaction,
  toWebhookData,
  type WebhookConfiguration,
  eventsReporting,
} from "./transaction.ts";
import { toIso } from "../../wire/timestamp.ts";
import type { WireObject } from "../../wire/json.ts";

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One POST of a delivery, and its result. */
export interface Attempt {
  /** Real time, even on a frozen clock: verifiers refuse timestamps older than five minutes. */
  readonly atMs: number;
  /** Sandbox time; absent if it is the same. */
  readonly sandboxAtMs?: number | undefined;
  readonly durationMs: number;
  /** The receiver's HTTP status; null without a response, and then `error` is the reason. */
  readonly status: number | null;
  readonly error: string | null;
  /** The signature that was sent; null if none was. */
  readonly signature: string | null;
  /** The start of the response's body. */
  readonly response: string | null;
  /** The target of a redirect response; redirects are not followed. */
  readonly location?: string | undefined;
  /** The response's `retry-after`, if any. */
  readonly retryAfterMs?: number | undefined;
  /** Whether a user requested it, in addition to the scheduled attempts. */
  readonly isResend?: boolean | undefined;
  /** Whether the delivery's fault made it, in addition to the scheduled attempts. */
  readonly isDuplicate?: boolean | undefined;
}

/** How the error of an attempt begins that the sandbox did not send: a fault or a setting forbade it. */
export const NOT_SENT = "not sent: ";

/** The error of an attempt that a fault drops. */
export function droppedBy(fault: Effect | undefined): string {
  return `${NOT_SENT}the fault ${fault} drops this attempt`;
}

/** Whether an attempt was sent, or its connection was tried. */
export function isSent({ error }: Pick<Attempt, "error">): boolean {
  return !error?.startsWith(NOT_SENT);
}

/** The value of `webhook-timestamp`, in seconds. */
export function timestampSeconds({ atMs }: Pick<Attempt, "atMs">): number {
  return Math.floor(atMs / 1000);
}

/** One webhook: its body, its address, and every attempt so far. */
export interface Delivery {
  /** The event's id, which is also `webhook-id`. */
  readonly id: string;
  readonly integration: string;
  readonly type: EventType;
  /** The kind of the transaction that it reports. */
  readonly transaction: Kind;
  readonly transactionId: string;
  readonly url: string;
  /** The exact text that is signed and sent, at every attempt. */
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly attempts: readonly Attempt[];
  /** When the next attempt is due, in sandbox time; null after the last one. */
  readonly nextAttemptAtMs: number | null;
  readonly createdAtMs: number;
  /** The fault that applies to it, if any. */
  readonly fault?: Effect | undefined;
  /** The id of that fault; absent if the call that caused the event requested it. */
  readonly faultId?: string | undefined;
}

/** Whether the fault of a delivery acted on one of its attempts. Of a resend it changes only the signature. */
export function isFaulty({ fault, attempts }: Delivery, attempt: Attempt): boolean {
  const { kind } = partsOf(fault ?? "");
  if (kind === "bad_signature") return attempt.signature !== null;
  if (kind === "drop_attempts") return attempt.error === droppedBy(fault);
  if (attempt.isDuplicate) return true;
  return kind !== "duplicate" && attempt === attempts.find((one) => !one.isResend);
}

/** The inputs of the webhooks of one settled transaction. */
export interface DeliverySource {
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

/** The webhooks that report a transaction's final status, one delivery each. */
export function deliveriesOf({ kind, record }: Transaction, source: DeliverySource): Delivery[] {
  const { assumptions, configuration, nowMs } = source;
  const types = eventsReporting(kind, record.status, assumptions, configuration?.events ?? []);
  return types.map((type) => {
    const data = toWebhookData(record);
    const url = (type.startsWith("payment.") && configuration?.webhook_url) || record.webhook_url;
    const id = source.eventId(type);
    const faulty = source.takeFault?.(url, data);
    return {
      id,
      integration: record.integration,
      type,
      transaction: kind,
      transactionId: record.id,
      url,
      body: JSON.stringify({ id, type, created_at: toIso(nowMs), data }),
      status: "pending",
      attempts: [],
      nextAttemptAtMs: firstDueMs({ createdAtMs: nowMs, ...faulty }),
      createdAtMs: nowMs,
      ...faulty,
    };
  });
}

/** What the existence of an event depends on. */
export function dependenciesOf(type: EventType): readonly AssumptionName[] {
  if (type === "payin.expired") return ["payin.expiry_event"];
  return type.startsWith("payment.") ? ["webhook.configuration"] : [];
}

/** When the first attempt is due, in sandbox time. */
export function firstDueMs({
  createdAtMs,
  fault,
}: Pick<Delivery, "createdAtMs" | "fault">): number {
  return createdAtMs + (fault === "reorder" ? REORDER_WAIT_MS : numberOf("delay_ms", fault));
}

/** The number of scheduled attempts so far. */
export function attemptsMade({ attempts }: Pick<Delivery, "attempts">): number {
  return attempts.filter(isScheduled).length;
}

function isScheduled({ isResend, isDuplicate }: Attempt): boolean {
  return !isResend && !isDuplicate;
}

/** How long a reordered webhook waits for another to its address, in sandbox time. */
const REORDER_WAIT_MS = 30_000;

const inMs = (...seconds: readonly number[]) => seconds.map((one) => one * 1000);

/** The wait before each attempt, counted from the end of the attempt before it. */
export const RETRY_WAITS_MS: Readonly<Record<Assumptions["webhook.retries"], readonly number[]>> = {
  laptop: inMs(0, 1, 5, 25),
  production: inMs(0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400),
  none: [0],
};

/** `retry-after` is honored up to the longest wait of any schedule. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/** The most attempts that are stored for one delivery; the oldest resend is dropped first. */
const MAX_ATTEMPTS = 50;
const isRequested = ({ isResend }: Attempt): boolean => isResend === true;

/** A receiver answers 410 to stop all further attempts. */
const GONE = 410;

/** The delivery after one more attempt: delivered, to be tried again later, or failed. */
export function withAttempt(
  delivery: Delivery,
  attempt: Attempt,
  assumptions: Assumptions,
  nowMs: number,
): Delivery {
  // A spread would reserve room for 16 more attempts in every delivery.
  const attempts = delivery.attempts.concat(attempt);
  const after = { ...delivery, attempts };
  if (attempts.length > MAX_ATTEMPTS) attempts.splice(attempts.findIndex(isRequested), 1);
  const failed = { ...after, status: "failed", nextAttemptAtMs: null } as const;
  const { status, fault } = delivery;
  if (isReceived(attempt, assumptions)) {
    const isRepeated = status !== "delivered" && fault === "duplicate";
    return { ...after, status: "delivered", nextAttemptAtMs: isRepeated ? nowMs : null };
  }
  // A failed resend changes neither a delivered nor a failed delivery.
  if (status !== "pending") return { ...after, nextAttemptAtMs: null };
  const isDropped = attempt.error === droppedBy(fault);
  // No later attempt would be sent either.
  if (attempt.status === GONE || (!isSent(attempt) && !isDropped)) return failed;
  if (!isScheduled(attempt)) return after;
  const waitMs = RETRY_WAITS_MS[assumptions["webhook.retries"]][attemptsMade(after)];
  if (waitMs === undefined) return failed;
  const askedMs = Math.min(attempt.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return { ...after, nextAttemptAtMs: nowMs + Math.max(waitMs, askedMs) };
}

/** Whether the receiver accepted the webhook. */
function isReceived({ status }: Attempt, assumptions: Assumptions): boolean {
  if (status === null) return false;
  return assumptions["webhook.success"] === "only_200"
    ? status === 200
    : status >= 200 && status < 300;
}

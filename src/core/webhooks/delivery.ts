import type { Assumptions } from "../assumptions/table.ts";
import { behaviorOf, type WebhookEffect } from "../faults/effects.ts";
import { CONFIGURED_EVENTS } from "./webhook-configuration.ts";

/** What can happen that a merchant may be told of. */
export const EVENT_TYPES = [
  "payin.paid",
  "payin.expired",
  "payout.completed",
  "payout.canceled",
  ...CONFIGURED_EVENTS,
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export type DeliveryStatus = "pending" | "delivered" | "failed";

/** One POST of a delivery, and how it ended. */
export interface Attempt {
  /** Real time, even where the sandbox's clock stands still: a verifier allows five minutes. */
  readonly atMs: number;
  readonly durationMs: number;
  /** The merchant's HTTP status, or null where no answer came and `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
  /** The signature that was sent; null where none was. */
  readonly signature: string | null;
  /** The beginning of the merchant's answer. */
  readonly response: string | null;
  /** Where the merchant's answer redirects to; no redirect is followed. */
  readonly location?: string | undefined;
  /** How long the merchant's `retry-after` asks to wait; absent where it asks nothing. */
  readonly retryAfterMs?: number | undefined;
  /** Whether somebody asked for it, beside the attempts that are made by themselves. */
  readonly isResend?: boolean | undefined;
  /**
   * Whether the receiver closed a kept connection just as this request went out on it. The webhook is sent
   * again at once over a new connection, so this attempt is not one of the retry schedule.
   */
  readonly isStaleConnection?: boolean | undefined;
  readonly eventNumber: number;
  /** How it left the delivery; absent where it was recorded before this was. */
  readonly left?: DeliveryState | undefined;
}

/** Where a delivery stands: whether it is done with, and if not, when the next attempt is due. */
export interface DeliveryState {
  readonly status: DeliveryStatus;
  /** Sandbox time; null once it is delivered or has failed, but for one more time that a fault sends it. */
  readonly nextAttemptAtMs: number | null;
}

/** The seconds that stand in `webhook-timestamp`. */
export function timestampSeconds({ atMs }: Pick<Attempt, "atMs">): number {
  return Math.floor(atMs / 1000);
}

/** How an attempt ended, before it is recorded. */
export type AttemptResult = Omit<Attempt, "eventNumber" | "left">;

/** One webhook to be sent: the bytes, where to, and every attempt so far. */
export interface Delivery extends DeliveryState {
  /** The event's id, which is also `webhook-id`. */
  readonly id: string;
  readonly integration: string;
  readonly type: EventType;
  readonly transactionId: string;
  readonly url: string;
  /** The exact text that is signed and sent, at every attempt. */
  readonly body: string;
  readonly attempts: readonly Attempt[];
  readonly createdAtMs: number;
  /** The number of the event that created it. */
  readonly eventNumber: number;
  /** What is made to go wrong with it. */
  readonly fault?: WebhookEffect | undefined;
}

/** When the first attempt is due, in sandbox time. */
export function firstDueMs({
  createdAtMs,
  fault,
}: Pick<Delivery, "createdAtMs" | "fault">): number {
  return createdAtMs + behaviorOf(fault).firstDelayMs;
}

/** How many of the attempts were made by themselves. */
export function attemptsMade({ attempts }: Pick<Delivery, "attempts">): number {
  return attempts.filter((attempt) => !isExtra(attempt)).length;
}

/** Whether an attempt is not one of the retry schedule. */
function isExtra({ isResend, isStaleConnection }: AttemptResult): boolean {
  return isResend === true || isStaleConnection === true;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after the end of the attempt before each attempt is made; the first is made at once. */
const WAITS_MS: Readonly<Record<Assumptions["webhook.retries"], readonly number[]>> = {
  laptop: [0, SECOND, 5 * SECOND, 25 * SECOND],
  production: [
    0,
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  none: [0],
};

/** A merchant can ask for more time, but not for more than the longest wait of any ladder. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/** How many attempts of one delivery are remembered; the oldest resend is forgotten first. */
const MAX_ATTEMPTS = 50;

/** The merchant's way of saying that it wants no more of this. */
const GONE = 410;

/** The delivery after one more attempt: delivered, to be tried again later, or failed. */
export function recordAttempt(
  delivery: Delivery,
  attempt: Omit<Attempt, "left">,
  assumptions: Assumptions,
  nowMs: number,
): Delivery {
  const left = deliveryStateAfter(delivery, attempt, assumptions, nowMs);
  // A spread would reserve room for 16 more attempts in every delivery.
  const attempts = delivery.attempts.concat({ ...attempt, left });
  return { ...delivery, ...left, attempts: withoutOldResends(attempts) };
}

/** Those of the ladder are few, but a webhook can be resent for ever. */
function withoutOldResends(attempts: readonly Attempt[]): readonly Attempt[] {
  if (attempts.length <= MAX_ATTEMPTS) return attempts;
  return attempts.toSpliced(
    attempts.findIndex(({ isResend }) => isResend),
    1,
  );
}

/** The delivery as it was once an attempt had been made; before the first one where none is named. */
export function asOf(delivery: Delivery, attempt?: Attempt): Delivery {
  const { attempts } = delivery;
  if (!attempt)
    return { ...delivery, attempts: [], status: "pending", nextAttemptAtMs: firstDueMs(delivery) };
  const index = attempts.findIndex(({ eventNumber }) => eventNumber === attempt.eventNumber);
  return { ...delivery, ...attempt.left, attempts: attempts.slice(0, index + 1) };
}

function deliveryStateAfter(
  delivery: Delivery,
  result: AttemptResult,
  assumptions: Assumptions,
  nowMs: number,
): DeliveryState {
  const { status, nextAttemptAtMs, fault } = delivery;
  if (isReceived(result, assumptions)) {
    const isDuplicated = status !== "delivered" && behaviorOf(fault).isSentAgain;
    return { status: "delivered", nextAttemptAtMs: isDuplicated ? nowMs : null };
  }
  // What was received stays so, and what has failed is not taken up again by one more failure.
  if (status !== "pending") return { status, nextAttemptAtMs: null };
  if (result.status === GONE) return { status: "failed", nextAttemptAtMs: null };
  if (isExtra(result)) return { status, nextAttemptAtMs };
  const made = attemptsMade(delivery) + 1;
  const waitMs = WAITS_MS[assumptions["webhook.retries"]][made];
  if (waitMs === undefined) return { status: "failed", nextAttemptAtMs: null };
  const askedMs = Math.min(result.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return { status, nextAttemptAtMs: nowMs + Math.max(waitMs, askedMs) };
}

function isReceived({ status }: AttemptResult, assumptions: Assumptions): boolean {
  if (status === null) return false;
  return assumptions["webhook.success"] === "only_200"
    ? status === 200
    : status >= 200 && status < 300;
}

import type { Assumptions } from "./assumptions.ts";
import type { ConfiguredEvent } from "./webhook-configuration.ts";

/** What can happen that a merchant may be told of. */
export type EventType =
  | "payin.paid"
  | "payin.expired"
  | "payout.completed"
  | "payout.canceled"
  | ConfiguredEvent;

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
  readonly eventNumber: number;
}

/** The seconds that stand in `webhook-timestamp`. */
export function timestampSeconds({ atMs }: Pick<Attempt, "atMs">): number {
  return Math.floor(atMs / 1000);
}

/** How an attempt ended, before it is recorded. */
export type AttemptResult = Omit<Attempt, "eventNumber">;

/** One webhook to be sent: the bytes, where to, and every attempt so far. */
export interface Delivery {
  /** The event's id, which is also `webhook-id`. */
  readonly id: string;
  readonly integration: string;
  readonly type: EventType;
  readonly transactionId: string;
  readonly url: string;
  /** The exact text that is signed and sent, at every attempt. */
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly attempts: readonly Attempt[];
  /** Sandbox time of the next attempt; null once it is delivered or has failed. */
  readonly nextAttemptAtMs: number | null;
  readonly createdAtMs: number;
  /** The number of the event that created it. */
  readonly eventNumber: number;
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

/** The delivery after one more attempt: delivered, to be tried again later, or failed. */
export function recordAttempt(
  delivery: Delivery,
  attempt: Attempt,
  assumptions: Assumptions,
  nowMs: number,
): Delivery {
  const attempts = [...delivery.attempts, attempt];
  if (isReceived(attempt, assumptions))
    return { ...delivery, attempts, status: "delivered", nextAttemptAtMs: null };
  const waitMs = WAITS_MS[assumptions["webhook.retries"]][attempts.length];
  if (waitMs === undefined)
    return { ...delivery, attempts, status: "failed", nextAttemptAtMs: null };
  return { ...delivery, attempts, nextAttemptAtMs: nowMs + waitMs };
}

function isReceived({ status }: Attempt, assumptions: Assumptions): boolean {
  if (status === null) return false;
  return assumptions["webhook.success"] === "only_200"
    ? status === 200
    : status >= 200 && status < 300;
}

import { type Attempt, type Delivery, isFaulty, timestampSeconds } from "../records/delivery.ts";
import type { Fault } from "../faults/fault.ts";
import type { RecordEvent } from "./events.ts";
import type { Snapshot } from "./ports.ts";
import { toIso, toIsoOrNull } from "../../wire/timestamp.ts";

export function toWireDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    type: delivery.type,
    transaction_id: delivery.transactionId,
    transaction: delivery.transaction,
    url: delivery.url,
    status: delivery.status,
    body: delivery.body,
    attempts: delivery.attempts.map((attempt) => toWireAttempt(delivery, attempt)),
    next_attempt_at: toIsoOrNull(delivery.nextAttemptAtMs),
    created_at: toIso(delivery.createdAtMs),
    ...(delivery.fault && { fault: delivery.fault }),
    integration: delivery.integration,
  };
}

/** A fault in control routes and commands, with the keys of the calls that it holds. */
export function toWireFault(fault: Fault, held: readonly (string | null)[]) {
  const { id, on, effect, match, times, probability, used, integration } = fault;
  return {
    id,
    on,
    effect,
    ...(match !== undefined && { match }),
    ...(times !== undefined && { times }),
    ...(probability !== undefined && { probability }),
    used,
    ...(effect === "hold" && { held: held.map((key) => ({ idempotency_key: key })) }),
    integration,
  };
}

/** The beginning of an attempt. */
export function toWireSent(
  { id, type, transactionId, url, integration }: Delivery,
  attemptNumber: number,
  {
    atMs,
    sandboxAtMs = atMs,
    isResend = false,
  }: Pick<Attempt, "atMs" | "sandboxAtMs" | "isResend">,
) {
  return {
    delivery_id: id,
    type,
    transaction_id: transactionId,
    url,
    attempt_number: attemptNumber,
    resend: isResend,
    at: toIso(atMs),
    sandbox_at: toIso(sandboxAtMs),
    integration,
  };
}

/** One attempt, with the headers that were sent. */
function toWireAttempt(delivery: Delivery, attempt: Attempt) {
  const { id, fault, faultId = null } = delivery;
  const { status, error, signature, response, location, retryAfterMs, isResend } = attempt;
  return {
    at: toIso(attempt.atMs),
    sandbox_at: toIso(attempt.sandboxAtMs ?? attempt.atMs),
    ...(status !== null && { status }),
    ...(error !== null && { error }),
    duration_ms: attempt.durationMs,
    ...(response !== null && { response }),
    ...(location !== undefined && { location }),
    ...(retryAfterMs !== undefined && { retry_after_seconds: retryAfterMs / 1000 }),
    ...(isResend && { resend: true as const }),
    fault: fault && isFaulty(delivery, attempt) ? { id: faultId, effect: fault } : null,
    headers: {
      "content-type": "application/json" as const,
      ...(signature !== null && {
        "webhook-id": id,
        "webhook-timestamp": String(timestampSeconds(attempt)),
        "webhook-signature": signature,
      }),
    },
  };
}

export function toWireSnapshot({ takenAtMs, ...snapshot }: Snapshot) {
  const { name, integration, payins, payouts, deliveries } = snapshot;
  return { name, integration, taken_at: toIso(takenAtMs), payins, payouts, deliveries };
}

/** A summary of a delivery, for a wait that timed out. */
export function toWireSeen({ id, type, transactionId, status, attempts }: Delivery) {
  const last = attempts.at(-1);
  return {
    id,
    type,
    transaction_id: transactionId,
    status,
    attempts: attempts.length,
    last: last ? (last.status ?? last.error) : null,
  };
}

export type WireSent = ReturnType<typeof toWireSent>;
export type WireSnapshot = ReturnType<typeof toWireSnapshot>;
export type WireFault = ReturnType<typeof toWireFault>;
export type WireDelivery = ReturnType<typeof toWireDelivery>;

/** The last attempt of a delivery. */
export function toWireAttemptEvent(delivery: Delivery) {
  const { attempts } = delivery;
  const attempt = toWireAttempt(delivery, attempts.at(-1) as Attempt);
  return { ...toWireDelivery(delivery), attempt_number: attempts.length, attempt };
}

export type WireAttemptEvent = ReturnType<typeof toWireAttemptEvent>;

/** The data of an event that has none of its own. */
export function toWireEvent(event: RecordEvent | { readonly kind: "missed" }): object {
  if ("record" in event) return event.record;
  if (event.kind === "sent") return event.sent;
  if (event.kind === "delivery") return toWireDelivery(event.delivery);
  if (event.kind === "attempt") return toWireAttemptEvent(event.delivery);
  return event.kind === "missed" ? {} : { integration: event.integration };
}

export interface WireRequest {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** By lower-case names; secrets are redacted. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null without a body, or if it was refused unread; truncated if long, like `response`. */
  readonly body: string | null;
  readonly status: number;
  readonly response_headers: Readonly<Record<string, string>>;
  readonly response: string | null;
  /** Why it was refused: null, and no errors, if it was not. */
  readonly code: string | null;
  readonly message: string | null;
  readonly errors: { readonly message: string; readonly code: string; readonly field: string }[];
  /** The payin or payout that it created or simulated. */
  readonly transaction_id: string | null;
  /** Whether it got the response of an earlier request with its key. */
  readonly is_repeat: boolean;
  /** The fault that acted on it; its id is null if the request itself asked for it. */
  readonly fault: { readonly id: string | null; readonly effect: string } | null;
  /** Whether the client had disconnected before the response. */
  readonly lost: boolean;
  readonly duration_ms: number;
  /** Null without an `x-api-token`. */
  readonly integration: string | null;
}

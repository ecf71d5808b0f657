import { isSameJson } from "../../wire/json.ts";
import { toEpochMs } from "../../wire/timestamp.ts";
import type { Clock } from "../time/clock.ts";
import type { AssumptionTrace, EffectiveAssumptions } from "../assumptions/trace.ts";
import type { Kind, Transaction } from "../records/transaction.ts";
import type { Records } from "../state/records.ts";
import { GatewayError } from "../records/errors.ts";
import { say } from "../../text/message.ts";

/** A call with an idempotency key: it may repeat an earlier one. */
export interface KeyedCall {
  readonly integration: string;
  readonly key: string;
  /** The request's JSON text, as it was sent. */
  readonly request: string;
  /** Reads the assumptions for the call's response. */
  readonly trace: AssumptionTrace;
}

/** Drops expired keys. Uses the earlier of the live and the persisted clock: a crash restores the persisted one. */
export function forgetPastKeys(
  records: Records,
  assumptions: EffectiveAssumptions,
  clock: Clock,
): void {
  const nowMs = Math.min(clock.nowMs(), clock.nowMsBy(records.clock ?? clock.setting));
  records.forgetKeys(({ record: { created_at, integration } }) =>
    isPast(created_at, assumptions.of(integration)["idempotency.retention_seconds"], nowMs),
  );
}

/** Whether the key of an earlier call may be used again: its retention has passed. */
export function isFree({ record }: Transaction, { trace }: KeyedCall, nowMs: number): boolean {
  return isPast(record.created_at, trace.read("idempotency.retention_seconds"), nowMs);
}

/**
 * The transaction of the earlier call with the key of this one, if this one repeats it.
 * @throws GatewayError DUPLICATED_VALUE for a key that was used for another request.
 */
export function repeated(
  earlier: Transaction,
  kind: Kind,
  { request, trace }: KeyedCall,
): Transaction {
  // Another operation has another kind of response, so that no choice of assumptions could repeat this one.
  const isSameKind = earlier.kind === kind;
  const isSameRequest = isSameKind && isSameJson(earlier.request, request);
  const choice = trace.read(isSameRequest ? "idempotency.repeat" : "idempotency.mismatch");
  if (choice === "replay" && isSameKind) return earlier;
  const message = isSameRequest
    ? say`x-idempotency-key was used by this request before.`
    : say`x-idempotency-key was used for another request; use a new key for each operation.`;
  throw new GatewayError("DUPLICATED_VALUE", message, [
    { field: "x-idempotency-key", code: "DUPLICATED_VALUE", message },
  ]);
}

/** Whether a key's retention has passed: it may be used again. */
function isPast(takenAt: string, retentionSeconds: number, nowMs: number): boolean {
  return nowMs >= toEpochMs(takenAt) + retentionSeconds * 1000;
}

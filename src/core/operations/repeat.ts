import { isSameJson } from "../../wire/json.ts";
import { toEpochMs } from "../../wire/timestamp.ts";
import type { AssumptionTrace } from "../assumptions/trace.ts";
import type { Kind, Transaction } from "../records/transaction.ts";
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

/** Whether the retention of an earlier call's key has passed: it may be used again. */
export function isPast({ record }: Transaction, retentionSeconds: number, nowMs: number): boolean {
  return nowMs >= toEpochMs(record.created_at) + retentionSeconds * 1000;
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

import { isSameJson } from "../../wire/json.ts";
import { toEpochMs } from "../../wire/timestamp.ts";
import type { Clock } from "../time/clock.ts";
import { AssumptionTrace, type EffectiveAssumptions } from "../assumptions/trace.ts";
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
  /** Reads the assumptions for the call's response. Default: the integration's. */
  readonly trace?: AssumptionTrace | undefined;
}

/** What decides about used keys: each is stored with the record that its call created. */
export interface UsedKeys {
  readonly records: Records;
  readonly assumptions: EffectiveAssumptions;
  readonly clock: Clock;
}

/** Drops expired keys. Uses the earlier of the live and the persisted clock: a crash restores the persisted one. */
export function forgetPastKeys({ records, assumptions, clock }: UsedKeys): void {
  const { setting } = clock;
  const { clock: persisted = setting } = records;
  const liveMs = clock.nowMs();
  const nowMs = persisted === setting ? liveMs : Math.min(liveMs, clock.nowMsBy(persisted));
  records.forgetKeys(({ record: { created_at, integration } }) =>
    isPast(created_at, assumptions.of(integration)["idempotency.retention_seconds"], nowMs),
  );
}

/**
 * The transaction of the earlier call that this call repeats; undefined for a first call.
 * @throws GatewayError DUPLICATED_VALUE for a key that was used for another request.
 */
export function repeated(
  { records, assumptions, clock }: UsedKeys,
  kind: Kind,
  call: KeyedCall,
): Transaction | undefined {
  const earlier = records.takenFor(call.integration, call.key);
  if (!earlier) return undefined;
  const { trace = new AssumptionTrace(assumptions.of(call.integration)) } = call;
  const retentionSeconds = trace.read("idempotency.retention_seconds");
  if (isPast(earlier.record.created_at, retentionSeconds, clock.nowMs())) return undefined;
  // Another operation has another kind of response, so that no choice of assumptions could repeat this one.
  const isSameKind = earlier.kind === kind;
  const isSameRequest = isSameKind && isSameJson(earlier.request, call.request);
  const choice = trace.read(isSameRequest ? "idempotency.repeat" : "idempotency.mismatch");
  if (choice === "replay" && isSameKind) return earlier;
  throw duplicatedKey(isSameRequest);
}

/** Whether a key's retention has passed: it may be used again. */
function isPast(takenAt: string, retentionSeconds: number, nowMs: number): boolean {
  return nowMs >= toEpochMs(takenAt) + retentionSeconds * 1000;
}

function duplicatedKey(isSameRequest: boolean): GatewayError {
  const message = isSameRequest
    ? say`x-idempotency-key was used by this request before.`
    : say`x-idempotency-key was used for another request; use a new key for each operation.`;
  return new GatewayError("DUPLICATED_VALUE", message, [
    { field: "x-idempotency-key", code: "DUPLICATED_VALUE", message },
  ]);
}

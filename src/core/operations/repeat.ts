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

/** The idempotency keys that calls have used: each is stored with the record that its call created. */
export class UsedKeys {
  readonly #records: Records;
  readonly #assumptions: EffectiveAssumptions;
  readonly #clock: Clock;

  constructor(parts: { records: Records; assumptions: EffectiveAssumptions; clock: Clock }) {
    this.#records = parts.records;
    this.#assumptions = parts.assumptions;
    this.#clock = parts.clock;
  }

  /** Drops expired keys. Uses the earlier of the live and the persisted clock: a crash restores the persisted one. */
  forgetPast(): void {
    const { setting } = this.#clock;
    const { clock: persisted = setting } = this.#records;
    const liveMs = this.#clock.nowMs();
    const nowMs = persisted === setting ? liveMs : Math.min(liveMs, this.#clock.nowMsBy(persisted));
    this.#records.forgetKeys(({ record: { created_at, integration } }) =>
      isPast(created_at, this.#assumptions.of(integration)["idempotency.retention_seconds"], nowMs),
    );
  }

  /**
   * The transaction of the earlier call that this call repeats; undefined for a first call.
   * @throws GatewayError DUPLICATED_VALUE for a key that was used for another request.
   */
  repeated(kind: Kind, call: KeyedCall): Transaction | undefined {
    const earlier = this.#records.takenFor(call.integration, call.key);
    if (!earlier) return undefined;
    const { trace = new AssumptionTrace(this.#assumptions.of(call.integration)) } = call;
    const retentionSeconds = trace.read("idempotency.retention_seconds");
    if (isPast(earlier.record.created_at, retentionSeconds, this.#clock.nowMs())) return undefined;
    // Another operation has another kind of response, so that no choice of assumptions could repeat this one.
    const isSameKind = earlier.kind === kind;
    const isSameRequest = isSameKind && isSameJson(earlier.request, call.request);
    const choice = isSameRequest
      ? trace.read("idempotency.repeat")
      : trace.read("idempotency.mismatch");
    if (choice === "replay" && isSameKind) return earlier;
    throw duplicatedKey(isSameRequest);
  }
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

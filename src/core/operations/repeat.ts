import { isSameJson } from "../../wire/json.ts";
import type { Clock } from "../time/clock.ts";
import { AssumptionTrace, type EffectiveAssumptions } from "../assumptions/trace.ts";
import type { Payin } from "../records/payin.ts";
import type { Payout } from "../records/payout.ts";
import type { Records } from "../state/records.ts";
import { GatewayError } from "../records/errors.ts";
import { say } from "../../text/message.ts";

export type Operation = "payins.create" | "payouts.create";

export interface UsedKey {
  readonly operation: Operation;
  /** The request's JSON text, as it was sent. */
  readonly request: string;
  /** The record that the call created; a repeat's response is built from it. */
  readonly recordId: string;
  readonly takenAtMs: number;
}

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
    this.#records.forgetKeys(({ integration, createdAtMs }) =>
      isPast(
        createdAtMs,
        this.#assumptions.of(integration)["idempotency.retention_seconds"],
        nowMs,
      ),
    );
  }

  /**
   * The record of the earlier call that this call repeats; undefined for a first call.
   * @throws GatewayError DUPLICATED_VALUE for a key that was used for another request.
   */
  repeated<Row extends Payin | Payout>(
    operation: Operation,
    call: KeyedCall,
    table: { get(id: string): Row | undefined },
  ): Row | undefined {
    const taken = this.#records.takenFor(call.integration, call.key);
    if (!taken) return undefined;
    const key: UsedKey = {
      operation: "pixId" in taken ? "payins.create" : "payouts.create",
      request: taken.request,
      recordId: taken.id,
      takenAtMs: taken.createdAtMs,
    };
    const { trace = new AssumptionTrace(this.#assumptions.of(call.integration)) } = call;
    const repeat = repeatOf(key, operation, call, trace, this.#clock.nowMs());
    return repeat && table.get(repeat.recordId);
  }
}

/**
 * The used key that a call repeats; undefined for a first call.
 * @throws GatewayError DUPLICATED_VALUE for a key that was used for another request.
 */
export function repeatOf(
  taken: UsedKey | undefined,
  operation: Operation,
  call: KeyedCall,
  trace: AssumptionTrace,
  nowMs: number,
): UsedKey | undefined {
  if (!taken || isPast(taken.takenAtMs, trace.read("idempotency.retention_seconds"), nowMs))
    return undefined;
  // Another operation has another kind of response, so that no choice of assumptions could repeat this one.
  const isSameOperation = taken.operation === operation;
  const isSameRequest = isSameOperation && isSameJson(taken.request, call.request);
  const choice = isSameRequest
    ? trace.read("idempotency.repeat")
    : trace.read("idempotency.mismatch");
  if (choice === "replay" && isSameOperation) return taken;
  throw duplicatedKey(isSameRequest);
}

/** Whether a key's retention has passed: it may be used again. */
export function isPast(takenAtMs: number, retentionSeconds: number, nowMs: number): boolean {
  return nowMs >= takenAtMs + retentionSeconds * 1000;
}

function duplicatedKey(isSameRequest: boolean): GatewayError {
  const message = isSameRequest
    ? say`x-idempotency-key was used by this request before.`
    : say`x-idempotency-key was used for another request; use a new key for each operation.`;
  return new GatewayError("DUPLICATED_VALUE", message, [
    { field: "x-idempotency-key", code: "DUPLICATED_VALUE", message },
  ]);
}

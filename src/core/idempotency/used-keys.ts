import type { Clock } from "../time/clock.ts";
import type { EffectiveAssumptions } from "../assumptions/effective.ts";
import { isPast, type KeyedCall, type Operation, repeatOf, type UsedKey } from "./repeat.ts";
import type { Payin } from "../payments/payin.ts";
import type { Payout } from "../payments/payout.ts";
import type { Records } from "../state/records.ts";

/** The idempotency keys that calls have taken: each is kept with the record that its call made. */
export class UsedKeys {
  readonly #records: Records;
  readonly #assumptions: EffectiveAssumptions;
  readonly #clock: Clock;

  constructor(parts: { records: Records; assumptions: EffectiveAssumptions; clock: Clock }) {
    this.#records = parts.records;
    this.#assumptions = parts.assumptions;
    this.#clock = parts.clock;
  }

  /**
   * A key that may be used again is not worth its memory: not by a time that has moved on and is not kept
   * yet, since a restart would take that back, and not bring back what was forgotten.
   */
  forgetPast(): void {
    const { clock: kept = this.#clock.setting } = this.#records;
    const nowMs = Math.min(this.#clock.nowMs(), this.#clock.nowMsBy(kept));
    this.#records.forgetKeys(({ integration, createdAtMs }) =>
      isPast(createdAtMs, this.#assumptions.of(integration), nowMs),
    );
  }

  isTaken(integration: string, key: string): boolean {
    const taken = this.#records.takenFor(integration, key);
    const assumptions = this.#assumptions.of(integration);
    return taken !== undefined && !isPast(taken.createdAtMs, assumptions, this.#clock.nowMs());
  }

  /**
   * The record of the earlier call that this call repeats; undefined for a first call.
   * @throws GatewayError DUPLICATED_VALUE for a key that is used for another request.
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
    const { assumptions = this.#assumptions.of(call.integration) } = call;
    const repeat = repeatOf(key, operation, call, assumptions, this.#clock.nowMs());
    return repeat && table.get(repeat.recordId);
  }
}

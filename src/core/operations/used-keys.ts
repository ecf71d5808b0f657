import type { Clock } from "../time/clock.ts";
import type { EffectiveAssumptions } from "../assumptions/effective.ts";
import { untraced } from "../assumptions/trace.ts";
import { isPast, type KeyedCall, type Operation, repeatOf, type UsedKey } from "./repeat.ts";
import type { Payin } from "../records/payin.ts";
import type { Payout } from "../records/payout.ts";
import type { Records } from "../state/records.ts";

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
    const { clock: persisted = this.#clock.setting } = this.#records;
    const nowMs = Math.min(this.#clock.nowMs(), this.#clock.nowMsBy(persisted));
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
    const { trace = untraced(this.#assumptions.of(call.integration)) } = call;
    const repeat = repeatOf(key, operation, call, trace, this.#clock.nowMs());
    return repeat && table.get(repeat.recordId);
  }
}

import { type Delivery, deliveriesOf } from "../records/delivery.ts";
import type { Effect } from "../faults/effects.ts";
import { type CallFault, FaultUses, type Members } from "../faults/fault.ts";
import type { EffectiveAssumptions } from "../assumptions/trace.ts";
import type { Ids } from "../records/ids.ts";
import {
  isPaid,
  type Kind,
  type PayinStatus,
  settled,
  type Transaction,
  type TransactionOf,
} from "../records/transaction.ts";
import { putsOf, type Records } from "../state/records.ts";
import type { DueTasks } from "./due-tasks.ts";

/** Settles records: returns the settled record, and the change with its webhooks and the faults they used. */
export class Settlement {
  readonly #records: Records;
  readonly #ids: Ids;
  readonly #assumptions: EffectiveAssumptions;
  readonly #due: Pick<DueTasks, "waitingAt">;

  constructor(parts: {
    records: Records;
    ids: Ids;
    assumptions: EffectiveAssumptions;
    due: Pick<DueTasks, "waitingAt">;
  }) {
    this.#records = parts.records;
    this.#ids = parts.ids;
    this.#assumptions = parts.assumptions;
    this.#due = parts.due;
  }

  /** @throws GatewayError NOT_PROCESSABLE if the transaction has a final status already. */
  settle<Name extends Kind>(
    transaction: TransactionOf<Name>,
    status: PayinStatus,
    nowMs: number,
    fault?: CallFault,
  ) {
    const { record, ordinal } = transaction as Transaction;
    const { integration } = record;
    const after = this.settled(transaction, status, nowMs);
    const isFaulty = this.#records.faults.size > 0 || fault?.webhook !== undefined;
    const uses = isFaulty ? new FaultUses(this.#records, this.#ids) : undefined;
    const deliveries = deliveriesOf(after, {
      takeFault: uses && this.#webhookFaults(uses, integration, fault?.webhook),
      assumptions: this.#assumptions.of(integration),
      configuration: this.#records.webhookConfigurations.get(integration),
      eventId: (type) => this.#ids.event(integration, ordinal, type),
      nowMs,
    });
    const change = [...putsOf({ transactions: [after], deliveries }), ...(uses?.change ?? [])];
    return { settled: after, change };
  }

  /** The transaction in its final status, without webhooks. @throws GatewayError as `settle` does */
  settled<Name extends Kind>(
    transaction: TransactionOf<Name>,
    status: PayinStatus,
    nowMs: number,
  ): TransactionOf<Name> {
    const { ordinal, record } = transaction as Transaction;
    const endToEndId = isPaid(status)
      ? this.#ids.endToEnd(record.integration, ordinal, nowMs)
      : null;
    return settled(transaction, status, { nowMs, endToEndId });
  }

  /** Chooses the fault of each webhook of a transaction: the one that its call's header requests, else the first stored fault that matches. */
  #webhookFaults(
    uses: FaultUses,
    integration: string,
    requested: Effect | undefined,
  ): (url: string, data: Members) => Pick<Delivery, "fault" | "faultId"> {
    let reorderedAt: string | undefined;
    return (url, data) => {
      // The second webhook of a reordered pair gets no stored fault, only its own call's.
      if (url === reorderedAt || this.#due.waitingAt({ integration, url })) {
        reorderedAt = undefined;
        return requested && requested !== "reorder" ? { fault: requested } : {};
      }
      const stored = requested ? undefined : uses.take("webhook", integration, () => data);
      const fault = requested ?? stored?.effect;
      if (fault === undefined) return {};
      if (fault === "reorder") reorderedAt = url;
      return { fault, ...(stored && { faultId: stored.id }) };
    };
  }
}

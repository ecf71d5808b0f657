import { type Delivery, deliveriesOf } from "../records/delivery.ts";
import type { Effect } from "../faults/effects.ts";
import { type CallFault, FaultUses, type Members } from "../faults/fault.ts";
import type { EffectiveAssumptions } from "../assumptions/trace.ts";
import type { Ids } from "../records/ids.ts";
import { type PayinStatus, settled, type Transaction } from "../records/transaction.ts";
import { type Change, putsOf, type Records } from "../state/records.ts";
import type { DueTasks } from "./due-tasks.ts";

/** What a settlement follows from, beside the transaction. */
export interface Settling {
  readonly records: Records;
  readonly ids: Ids;
  readonly assumptions: EffectiveAssumptions;
  readonly due: Pick<DueTasks, "waitingAt">;
}

/**
 * Settles a transaction: the change has the transaction in its final status, its webhooks, and the faults they used.
 * @throws GatewayError NOT_PROCESSABLE if the transaction has a final status already.
 */
export function settle(
  parts: Settling,
  transaction: Transaction,
  status: PayinStatus,
  nowMs: number,
  fault?: CallFault,
): { readonly after: Transaction; readonly change: Change } {
  const { records, ids, assumptions } = parts;
  const { integration } = transaction.record;
  const after = settled(transaction, status, nowMs, ids);
  const uses = new FaultUses(records, ids);
  const isFaulty = records.faults.size > 0 || fault?.webhook !== undefined;
  const deliveries = deliveriesOf(after, {
    takeFault: isFaulty ? webhookFaults(parts, uses, integration, fault?.webhook) : undefined,
    assumptions: assumptions.of(integration),
    configuration: records.table("webhookConfigurations").get(integration),
    eventId: (type) => ids.event(integration, transaction.ordinal, type),
    nowMs,
  });
  return { after, change: [...putsOf({ transactions: [after], deliveries }), ...uses.change] };
}

/** Chooses the fault of each webhook of a transaction: the one that its call's header requests, else the first stored fault that matches. */
function webhookFaults(
  { due }: Settling,
  uses: FaultUses,
  integration: string,
  requested: Effect | undefined,
): (url: string, data: Members) => Pick<Delivery, "fault" | "faultId"> {
  let reorderedAt: string | undefined;
  return (url, data) => {
    // The second webhook of a reordered pair gets no stored fault, only its own call's.
    if (url === reorderedAt || due.waitingAt({ integration, url })) {
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

import { type EventSource, payinDeliveries, payoutDeliveries } from "../records/event.ts";
import { behaviorOf, isOperationEffect, type Effect } from "../faults/effects.ts";
import type { Delivery } from "../records/delivery.ts";
import { type CallFault, FaultUses, type Members } from "../faults/fault.ts";
import type { EffectiveAssumptions } from "../assumptions/trace.ts";
import type { Ids } from "../records/ids.ts";
import { isPaid, type Payin, type PayinStatus, settlePayin } from "../records/payin.ts";
import { type Payout, type PayoutOutcome, settlePayout } from "../records/payout.ts";
import { putsOf, type Records, type RowPut } from "../state/records.ts";
import { addressOf, type WebhookReorder } from "../state/reorder.ts";

/** Settles records: returns the settled record, its webhooks and the faults they used. */
export class Settlement {
  readonly #records: Records;
  readonly #ids: Ids;
  readonly #assumptions: EffectiveAssumptions;
  readonly #reorder: WebhookReorder;

  constructor(parts: {
    records: Records;
    ids: Ids;
    assumptions: EffectiveAssumptions;
    reorder: WebhookReorder;
  }) {
    this.#records = parts.records;
    this.#ids = parts.ids;
    this.#assumptions = parts.assumptions;
    this.#reorder = parts.reorder;
  }

  /** @throws GatewayError NOT_PROCESSABLE if the payin has a final status already. */
  ofPayin(payin: Payin, status: PayinStatus, nowMs: number, fault?: CallFault) {
    const endToEndId = isPaid(status)
      ? this.#ids.endToEnd(payin.integration, payin.ordinal, nowMs)
      : null;
    const settled = settlePayin(payin, status, nowMs, endToEndId);
    const source = this.#eventSource(settled, nowMs, fault);
    const change = [
      ["payins", settled],
      ...putsOf({ deliveries: payinDeliveries(settled, source) }),
    ];
    return { settled, change: change as RowPut[], uses: source.uses };
  }

  /** @throws GatewayError NOT_PROCESSABLE if the payout has a final status already. */
  ofPayout(payout: Payout, status: PayoutOutcome, nowMs: number, fault?: CallFault) {
    const endToEndId =
      status === "completed" ? this.#ids.endToEnd(payout.integration, payout.ordinal, nowMs) : null;
    const settled = settlePayout(payout, status, nowMs, endToEndId);
    const source = this.#eventSource(settled, nowMs, fault);
    const change = [
      ["payouts", settled],
      ...putsOf({ deliveries: payoutDeliveries(settled, source) }),
    ];
    return { settled, change: change as RowPut[], uses: source.uses };
  }

  newUses(): FaultUses {
    return new FaultUses(this.#records, (id, counter) => this.#ids.chance(id, counter));
  }

  #eventSource(
    { integration, ordinal }: Payin | Payout,
    nowMs: number,
    fault: CallFault | undefined,
  ): EventSource & { readonly uses: FaultUses | undefined } {
    const isFaulty = this.#records.faults.size > 0 || fault?.webhook !== undefined;
    const uses = isFaulty ? (fault?.uses ?? this.newUses()) : undefined;
    return {
      uses,
      takeFault: uses && this.#webhookFaults(uses, integration, fault?.webhook),
      assumptions: this.#assumptions.of(integration),
      configuration: this.#records.webhookConfigurations.get(integration),
      eventId: (type) => this.#ids.event(integration, ordinal, type),
      nowMs,
    };
  }

  /** Chooses the fault of each webhook of a transaction: the one that its call's header requests, else the first stored fault that matches. */
  #webhookFaults(
    uses: FaultUses,
    integration: string,
    requested: Effect | undefined,
  ): (url: string, data: Members) => Pick<Delivery, "fault" | "faultId"> {
    return (url, data) => {
      const address = addressOf({ integration, url });
      // The second webhook of a reordered pair gets no stored fault, only its own call's.
      if (uses.awaited.get(address) ?? this.#reorder.isAwaited({ integration, url })) {
        uses.awaited.set(address, false);
        return requested && !behaviorOf(requested).leavesBehindNext ? { fault: requested } : {};
      }
      const stored = requested ? undefined : uses.take("webhook", integration, () => data);
      const fault = requested ?? stored?.effect;
      if (fault === undefined || isOperationEffect(fault)) return {};
      if (behaviorOf(fault).leavesBehindNext) uses.awaited.set(address, true);
      return { fault, ...(stored && { faultId: stored.id }) };
    };
  }
}

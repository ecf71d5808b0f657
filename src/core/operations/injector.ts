import type { Transactions } from "./transaction.ts";
import { GatewayError } from "../records/errors.ts";
import {
  type Effect,
  type FaultyOperation,
  injectedError,
  isOperationEffect,
} from "../faults/effects.ts";
import {
  type CallFault,
  type Fault,
  type FaultDraft,
  type FaultUses,
  type Members,
  ordinalOf,
} from "../faults/fault.ts";
import { type HeldCall, HeldCalls, type HeldName } from "./held-calls.ts";
import type { Ids } from "../records/ids.ts";
import type { HoldNotice, Notices } from "../state/event-log.ts";
import { type Magic, magicError } from "../faults/magic-values.ts";
import type { Records } from "../state/records.ts";
import type { Settlement } from "./settlement.ts";
import { View } from "../state/view.ts";
import { say } from "../../text/message.ts";

/** A call that may have a fault. */
export interface FaultedCall {
  readonly operation: FaultyOperation;
  readonly integration: string;
  /** Its idempotency key; null if the operation takes none. */
  readonly key: string | null;
  /** The request's JSON text, as it was sent. */
  readonly request: string;
  /** The effect that its header `x-sandbox-fault` requests. */
  readonly requested?: Effect | undefined;
  /** The meaning of a magic value in it. */
  readonly magic?: Magic | undefined;
}

/** Creates and removes faults, takes the one that applies to a call, and holds calls. */
export class FaultInjector {
  readonly #transactions: Transactions;
  readonly #records: Records;
  readonly #ids: Ids;
  readonly #settlement: Settlement;
  readonly #notices: Notices;
  readonly #held = new HeldCalls();
  /** The calls that are held or delayed, each with the function that drops it. */
  readonly #waiting = new Set<{
    readonly integration: string;
    readonly drop: (reason: Error) => void;
  }>();

  constructor(parts: {
    transactions: Transactions;
    records: Records;
    ids: Ids;
    settlement: Settlement;
    notices: Notices;
  }) {
    this.#transactions = parts.transactions;
    this.#records = parts.records;
    this.#ids = parts.ids;
    this.#settlement = parts.settlement;
    this.#notices = parts.notices;
  }

  /** Creates a fault, for one integration or for all (`null`). */
  create(integration: string | null, draft: FaultDraft): Promise<Fault> {
    return this.#transactions.transact(() => {
      const fault = this.#newFault(integration, draft);
      this.#transactions.commit([["faults", fault], ordinalOf(fault)]);
      return fault;
    });
  }

  /** Removes one fault of an integration, or all of them; the calls that they hold continue. */
  async remove(integration: string | null, id?: string): Promise<readonly Fault[]> {
    const removed = await this.#transactions.transact(() => {
      const faults = new View(this.#records, integration)
        .faults()
        .filter((fault) => id === undefined || fault.id === id);
      const ids = faults.map((fault) => fault.id);
      if (ids.length > 0) this.#transactions.commit(ids.map((one) => ["faults", null, one]));
      for (const one of ids) this.#endCallFault(one);
      return faults;
    });
    for (const fault of removed) void this.#held.release(fault.id);
    return removed;
  }

  /**
   * Releases the calls that a fault holds: those that `order` names, then the others in the order of arrival. Each
   * commits before the next has its turn. Resolves when all responses can be sent; undefined if the integration
   * has no such fault.
   */
  async release(
    integration: string | null,
    id: string,
    order: readonly HeldName[],
  ): Promise<Fault | undefined> {
    const find = () =>
      this.#transactions.transact(() => new View(this.#records, integration).fault(id));
    const fault = await find();
    if (!fault) return undefined;
    await this.#held.release(id, order);
    // The fault of a single call ends with that call.
    return (await find()) ?? fault;
  }

  /** The idempotency keys of the calls that a fault holds, in the order of their arrival. */
  heldKeys(faultId: string): readonly (string | null)[] {
    return this.#held.keysOf(faultId);
  }

  /** Makes a call wait until the fault is released; the caller reports when the call has committed. */
  hold(
    faultId: string,
    { operation, integration, key }: Pick<FaultedCall, "operation" | "integration" | "key">,
  ): HeldCall {
    const report = (kind: HoldNotice["kind"]): void => {
      const held = this.#held.keysOf(faultId).length;
      this.#notices.publish({ kind, faultId, operation, integration, key, held });
    };
    const call = this.#held.hold(faultId, key, () => report("released"));
    report("held");
    const stopListening = this.onDrop(integration, (reason) => call.drop(reason));
    void call.end.then(() => {
      stopListening();
      this.#endCallFault(faultId);
    });
    return call;
  }

  /** Calls `drop` if a waiting call of the integration must end before it runs; the returned function removes it. */
  onDrop(integration: string, drop: (reason: Error) => void): () => void {
    const waiting = { integration, drop };
    this.#waiting.add(waiting);
    return () => this.#waiting.delete(waiting);
  }

  /** Drops the waiting calls of an integration, or of all (`null`). */
  dropCalls(integration: string | null): void {
    for (const waiting of this.#waiting)
      if (integration === null || waiting.integration === integration)
        waiting.drop(new GatewayError("EXTERNAL_ERROR", DROPPED));
  }

  /**
   * Takes the fault of a call that is not a repeat: the one that its header requests, else the first that
   * applies, else the meaning of a magic value. The operation commits the use of an `error` or a `lost_answer`.
   * Call it in the same turn. Any other fault counts as used at once.
   * @returns undefined if no fault applies.
   */
  take({ operation, integration, request, requested, magic }: FaultedCall): CallFault | undefined {
    if (requested === undefined && magic === undefined && this.#records.faults.size === 0)
      return undefined;
    if (requested && isOperationEffect(requested)) {
      if (requested.kind !== "hold") return { effect: requested };
      // A listed fault, so that the call can be released.
      const draft: FaultDraft = { on: operation, effect: requested, times: 0 };
      const fault = { ...this.#newFault(integration, draft), used: 1 };
      this.#transactions.commit([ordinalOf(fault)]);
      this.#records.callFaults.set(fault.id, fault);
      this.#notices.publish({ kind: "fault", integration, change: "created", fault });
      return { effect: requested, id: fault.id };
    }
    const webhook = requested;
    const uses = this.#settlement.newUses();
    const fault = uses.take(operation, integration, () => JSON.parse(request) as Members);
    const effect = fault && isOperationEffect(fault.effect) ? fault.effect : undefined;
    if (effect?.kind === "error" || effect?.kind === "lost_answer")
      return { effect, webhook, uses, id: fault?.id };
    this.commitUses(uses);
    if (magic && !effect) return { effect: magic.effect, webhook, magic };
    return effect || webhook ? { effect, webhook, id: fault?.id } : undefined;
  }

  /**
   * Refuses a call whose fault is an error; its key stays free.
   * @throws GatewayError with the code of the error.
   */
  refuse({ effect, uses, magic }: CallFault): void {
    if (effect?.kind !== "error") return;
    this.commitUses(uses);
    if (magic) throw magicError(effect.code, magic.name);
    throw injectedError(effect.code, uses !== undefined);
  }

  commitUses(uses: FaultUses | undefined): void {
    if (uses && uses.change.length > 0) this.#transactions.commit(uses.change);
  }

  /** Removes the fault of a single call, if it is one and still exists. */
  #endCallFault(id: string): void {
    const fault = this.#records.callFaults.get(id);
    if (!this.#records.callFaults.delete(id) || !fault) return;
    const { integration } = fault;
    this.#notices.publish({ kind: "fault", integration, change: "removed", fault });
  }

  #newFault(integration: string | null, draft: FaultDraft): Fault {
    const ordinal = this.#records.lastFaultOrdinal(integration) + 1;
    return {
      ...draft,
      id: this.#ids.fault(integration, ordinal),
      integration,
      ordinal,
      used: 0,
      drawn: 0,
    };
  }
}

const DROPPED = say`The sandbox was reset while a fault held this call. Nothing was done.`;

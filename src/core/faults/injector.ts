import type { Transactions } from "../state/transaction.ts";
import { GatewayError } from "../errors.ts";
import { type Effect, type FaultyOperation, injectedError, isOperationEffect } from "./effects.ts";
import type { CallFault, Fault, FaultDraft, FaultUses, Members } from "./fault.ts";
import { HeldCalls, type HeldName } from "./held-calls.ts";
import type { Ids } from "../payments/ids.ts";
import { type Magic, magicError } from "./magic-values.ts";
import type { Records } from "../state/records.ts";
import type { Settlement } from "../payments/settlement.ts";
import type { UsedKeys } from "../idempotency/used-keys.ts";
import { View } from "../state/view.ts";

/** A call of which it is asked what it suffers. */
export interface FaultedCall {
  readonly operation: FaultyOperation;
  readonly integration: string;
  /** Its idempotency key; null where the operation takes none. */
  readonly key: string | null;
  /** The request's JSON text, as it was sent. */
  readonly request: string;
  /** What it asks for itself. */
  readonly asked?: Effect | undefined;
  /** What a value in it means. */
  readonly magic?: Magic | undefined;
}

/** A fault holds a call, or no longer does: it was released, or given up. */
export interface HoldEvent extends Pick<FaultedCall, "operation" | "integration" | "key"> {
  readonly kind: "held" | "released";
  readonly faultId: string;
  /** How many calls the fault holds now. */
  readonly held: number;
}

/** The failures that were ordered, what a call suffers of them, and the calls that they hold. */
export class FaultInjector {
  readonly #transactions: Transactions;
  readonly #records: Records;
  readonly #ids: Ids;
  readonly #keys: UsedKeys;
  readonly #settlement: Settlement;
  readonly #held = new HeldCalls();
  readonly #listeners = new Set<(event: HoldEvent) => void>();
  /** The calls that are held or delayed, and what ends each without its work. */
  readonly #waiting = new Set<{
    readonly integration: string;
    readonly end: (reason: Error) => void;
  }>();

  constructor(parts: {
    transactions: Transactions;
    records: Records;
    ids: Ids;
    keys: UsedKeys;
    settlement: Settlement;
  }) {
    this.#transactions = parts.transactions;
    this.#records = parts.records;
    this.#ids = parts.ids;
    this.#keys = parts.keys;
    this.#settlement = parts.settlement;
  }

  /** Orders a failure, for one integration or for all where it is null. */
  create(integration: string | null, draft: FaultDraft): Promise<Fault> {
    return this.#transactions.transact(() => {
      const fault = this.#newFault(integration, draft);
      this.#transactions.commit({ faults: [fault] });
      return fault;
    });
  }

  /** Takes faults away, one or all that an integration has ordered; the calls that they hold go on. */
  async remove(integration: string | null, id?: string): Promise<readonly Fault[]> {
    const removed = await this.#transactions.transact(() => {
      const faults = new View(this.#records, integration)
        .faults()
        .filter((fault) => id === undefined || fault.id === id);
      const ids = faults.map((fault) => fault.id);
      if (ids.length > 0) this.#transactions.commit({ removedFaults: ids });
      for (const one of ids) this.#records.callFaults.delete(one);
      return faults;
    });
    // What each of them decides is a decision of its own.
    for (const fault of removed) void this.#held.release(fault.id);
    return removed;
  }

  /**
   * Lets the calls go that a fault holds, each decided before the next: those that `order` names, then the
   * others as they came. Answers when they are done; undefined where the integration has no such fault.
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
    // That of one call is gone with it.
    return (await find()) ?? fault;
  }

  /** The idempotency keys of the calls that a fault holds, in the order of their arrival. */
  heldKeys(faultId: string): readonly (string | null)[] {
    return this.#held.keysOf(faultId);
  }

  /** Keeps a call waiting until the fault is released; `work` decides before it returns. */
  hold<Result>(
    faultId: string,
    { operation, integration, key }: Pick<FaultedCall, "operation" | "integration" | "key">,
    work: () => Promise<Result>,
  ) {
    const report = (kind: HoldEvent["kind"]): void => {
      const held = this.#held.keysOf(faultId).length;
      for (const listener of this.#listeners)
        listener({ kind, faultId, operation, integration, key, held });
    };
    const { result, drop } = this.#held.hold(faultId, key, work, () => report("released"));
    report("held");
    const stopListening = this.onGivenUp(integration, drop);
    const end = (): void => {
      stopListening();
      this.#records.callFaults.delete(faultId);
    };
    return { result: result.finally(end), drop };
  }

  /** Calls `listener` when a call is held and when it no longer is; the answer stops that. */
  onHold(listener: (event: HoldEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `end` where a call of the integration that waits is to end without its work; the answer stops that. */
  onGivenUp(integration: string, end: (reason: Error) => void): () => void {
    const waiting = { integration, end };
    this.#waiting.add(waiting);
    return () => this.#waiting.delete(waiting);
  }

  /** Ends the calls of an integration that wait, whoever ordered the fault, or all where it is null. */
  giveUp(integration: string | null): void {
    for (const waiting of this.#waiting)
      if (integration === null || waiting.integration === integration)
        waiting.end(new GatewayError("EXTERNAL_ERROR", GIVEN_UP));
  }

  /**
   * What a call suffers: what it asks for itself, or else the first fault that applies, or else what a value
   * in it means. A key that was used before is answered before any of them. One that lets the call wait is used at once; any other is used by
   * the operation, which is to be told of it in the same turn.
   * @returns undefined where all is well.
   */
  on({ operation, integration, key, request, asked, magic }: FaultedCall): CallFault | undefined {
    if (asked === undefined && magic === undefined && this.#records.faults.size === 0)
      return undefined;
    const webhook = asked && !isOperationEffect(asked) ? asked : undefined;
    if (key !== null && this.#keys.isTaken(integration, key)) return undefined;
    if (asked && isOperationEffect(asked)) {
      if (asked.kind !== "hold") return { effect: asked };
      // There must be something to release.
      const fault = this.#newFault(integration, { on: operation, effect: asked, times: 0 });
      this.#transactions.commit({ lastFaultOrdinals: [[integration, fault.ordinal]] });
      this.#records.callFaults.set(fault.id, { ...fault, used: 1 });
      return { effect: asked, id: fault.id };
    }
    const uses = this.#settlement.newUses();
    const fault = uses.take(operation, integration, () => JSON.parse(request) as Members);
    const effect = fault && isOperationEffect(fault.effect) ? fault.effect : undefined;
    if (effect?.kind === "error" || effect?.kind === "lost_answer")
      return { effect, webhook, uses };
    this.commitUses(uses);
    if (magic && !effect) return { effect: magic.effect, webhook, magic };
    return effect || webhook ? { effect, webhook, id: fault?.id } : undefined;
  }

  /**
   * The step of the rules: an injected error refuses the call, and leaves its key free.
   * @throws GatewayError with the code that was asked for.
   */
  refuse({ effect, uses, magic }: CallFault): void {
    if (effect?.kind !== "error") return;
    this.commitUses(uses);
    throw magic ? magicError(effect.code, magic.name) : injectedError(effect.code);
  }

  commitUses(uses: FaultUses | undefined): void {
    if (uses?.change.faults) this.#transactions.commit(uses.change);
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

const GIVEN_UP = {
  en: "The sandbox was reset while a fault kept this call waiting; nothing was done.",
  pt: "O sandbox foi reiniciado enquanto uma falha fazia esta chamada esperar; nada foi feito.",
};

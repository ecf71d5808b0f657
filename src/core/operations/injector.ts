import type { DueTasks } from "./due-tasks.ts";
import type { Transactions } from "./transaction.ts";
import type { Delivery } from "../records/delivery.ts";
import { StorageError } from "../state/ports.ts";
import { GatewayError, type TopLevelCode } from "../records/errors.ts";
import { type Effect, type FaultyOperation, isEffectOn, partsOf } from "../faults/effects.ts";
import {
  type CallFault,
  type Fault,
  type FaultDraft,
  faultUses,
  type Members,
  ordinalOf,
} from "../faults/fault.ts";
import type { Ids } from "../records/ids.ts";
import type { Magic } from "../faults/magic.ts";
import type { Records } from "../state/records.ts";
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

/** A call that waits: until the fault that holds it is released, or until its latency has passed. */
interface WaitingCall {
  readonly call: FaultedCall;
  /** Null for a latency. */
  readonly faultId: string | null;
  /** Resolves when the call may continue; rejects if it must not. */
  readonly turn: Promise<void>;
  /** Lets the call continue, or refuses it with an error. Only the first call of this function counts. */
  readonly end: (reason?: Error) => void;
}

interface FaultInjectorParts {
  readonly transactions: Transactions;
  readonly records: Records;
  readonly ids: Ids;
  readonly due: Pick<DueTasks, "waitingAt">;
}

/** Creates and removes faults, takes those that apply to a call and to its webhooks, and lets calls wait. */
export class FaultInjector {
  readonly #parts: FaultInjectorParts;
  /** In the order of their arrival. */
  readonly #waiting = new Set<WaitingCall>();

  constructor(parts: FaultInjectorParts) {
    this.#parts = parts;
  }

  /** Creates a fault, for one integration or for all (`null`). */
  create(integration: string | null, draft: FaultDraft): Promise<Fault> {
    const { transactions } = this.#parts;
    return transactions.transact(() => {
      const fault = this.newFault(integration, draft);
      transactions.commit([["faults", fault], ordinalOf(fault)]);
      return fault;
    });
  }

  /** A fault that was never used. */
  newFault(
    integration: string | null,
    draft: FaultDraft,
    ordinal = this.#parts.records.lastFaultOrdinal(integration) + 1,
  ): Fault {
    const id = this.#parts.ids.fault(integration, ordinal);
    return { ...draft, id, integration, ordinal, used: 0, drawn: 0 };
  }

  /** Removes one fault of an integration, or all of them; the calls that they hold continue. */
  async remove(integration: string | null, id?: string): Promise<readonly Fault[]> {
    const { transactions, records } = this.#parts;
    const removed = await transactions.transact(() => {
      const own = new View(records, integration).all("faults");
      const faults = own.filter((fault) => id === undefined || fault.id === id);
      if (faults.length > 0) transactions.commit(faults.map((one) => ["faults", null, one.id]));
      return faults;
    });
    for (const fault of removed) for (const { end } of this.#heldBy(fault.id)) end();
    return removed;
  }

  /**
   * Releases the calls that a fault holds, in the order of their arrival: each commits before the next. Resolves when
   * they have committed; undefined if the integration has no such fault.
   */
  async release(integration: string | null, id: string): Promise<Fault | undefined> {
    const { transactions, records } = this.#parts;
    const fault = await transactions.transact(() =>
      new View(records, integration).find("faults", id),
    );
    if (!fault) return undefined;
    const held = this.#heldBy(id);
    for (const { end } of held) end();
    // Each call listens to its turn before this does, and commits without a pause.
    await Promise.all(held.map(({ turn }) => turn));
    return transactions.transact(() => fault);
  }

  /** The idempotency keys of the calls that a fault holds, in the order of their arrival. */
  heldKeys(faultId: string): readonly (string | null)[] {
    return this.#heldBy(faultId).map(({ call }) => call.key);
  }

  #heldBy(faultId: string): readonly WaitingCall[] {
    return [...this.#waiting].filter((one) => one.faultId === faultId);
  }

  /** Makes a call wait until it is ended: by the release of its fault, if any, by a reset, or by the caller. */
  wait(call: FaultedCall, faultId: string | null): WaitingCall {
    let end: WaitingCall["end"] = () => undefined;
    const turn = new Promise<void>((resolve, reject) => {
      end = (reason) => {
        if (!this.#waiting.delete(waiting)) return;
        this.#report("released", waiting);
        if (call.requested === "hold") this.#removeHold(faultId ?? "");
        if (reason) reject(reason);
        else resolve();
      };
    });
    const waiting: WaitingCall = { call, faultId, turn, end };
    this.#waiting.add(waiting);
    this.#report("held", waiting);
    return waiting;
  }

  #report(kind: "held" | "released", { call, faultId }: WaitingCall): void {
    if (faultId === null) return;
    const { operation: on, key: idempotency_key, integration } = call;
    const held = this.#heldBy(faultId).length;
    const hold = { fault_id: faultId, on, idempotency_key, integration, held };
    this.#parts.transactions.report([{ kind, integration, toWire: () => hold }]);
  }

  /** Refuses the waiting calls of an integration, or of all (`null`). */
  dropCalls(integration: string | null): void {
    for (const { call, end } of this.#waiting)
      if (integration === null || call.integration === integration)
        end(new GatewayError("EXTERNAL_ERROR", DROPPED));
  }

  /**
   * Takes the fault of a call that is not a repeat, and counts its use: the one that its header requests, else the
   * first that applies, else the meaning of a magic value.
   */
  take({ operation, integration, request, requested, magic }: FaultedCall): CallFault | undefined {
    const { transactions, records, ids } = this.#parts;
    if (requested !== undefined && isEffectOn(requested, "call")) {
      const id = requested === "hold" ? this.#addHold(operation, integration) : undefined;
      return { effect: requested, id };
    }
    const beside = requested === undefined ? undefined : { webhook: requested };
    if (records.faults.size > 0) {
      const uses = faultUses(records.faults, ids);
      const fault = uses.take(operation, integration, () => JSON.parse(request) as Members);
      const change = uses.change();
      if (change.length > 0) transactions.commit(change);
      if (fault) return { effect: fault.effect, id: fault.id, ...beside };
    }
    return magic ? { effect: magic.effect, magic, ...beside } : beside;
  }

  /**
   * The faults of the webhooks that one settlement causes: the one that its call's header requests, else the first
   * stored one that matches.
   */
  onWebhooks(integration: string, requested: Effect | undefined) {
    const { due, records, ids } = this.#parts;
    const uses = faultUses(records.faults, ids);
    let reorderedAt: string | undefined;
    const take = (url: string, data: Members): Pick<Delivery, "fault" | "faultId"> => {
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
    return { take, change: uses.change };
  }

  /**
   * Refuses a call whose fault is an error; its key stays free.
   * @throws GatewayError with the code of the error.
   */
  refuse({ effect = "", id, magic }: CallFault): void {
    const { kind, value } = partsOf(effect);
    if (kind !== "error") return;
    const code = value as TopLevelCode; // the table allows no other
    throw new GatewayError(
      code,
      magic
        ? say`A magic value of this call means ${magic.name}, and the sandbox refuses it; nothing was done. Send any other value, or start the sandbox without --magic.`
        : id !== undefined // armed before the call: who reads it may not know of the fault
          ? say`A fault of the sandbox refuses this call. Nothing was done. The command "faults list" shows the fault, and "faults clear" removes it.`
          : say`A fault of the sandbox refuses this call, as requested. Nothing was done.`,
    );
  }

  /** Adds the fault of a call that requests `hold`, so that it can be released; the two end together. @returns its id */
  #addHold(on: FaultyOperation, integration: string): string {
    const fault = { ...this.newFault(integration, { on, effect: "hold", times: 0 }), used: 1 };
    this.#parts.transactions.commit([["faults", fault], ordinalOf(fault)]);
    return fault.id;
  }

  /** A reset may have removed it before. */
  #removeHold(id: string): void {
    const { transactions, records } = this.#parts;
    if (!records.faults.get(id)) return;
    try {
      transactions.commit([["faults", null, id]]);
    } catch (error) {
      // It acts on no other call.
      if (!(error instanceof StorageError)) throw error;
    }
  }
}

const DROPPED = say`The sandbox was reset while a fault held this call. Nothing was done.`;

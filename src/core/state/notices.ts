import type { AssumptionChanges } from "../assumptions/table.ts";
import type { FaultyOperation } from "../faults/effects.ts";
import type { Fault } from "../faults/fault.ts";
import type { LocalizedText } from "../../text/localized-text.ts";
import type { Snapshot, SnapshotKey } from "./ports.ts";
import type { ClockSetting } from "../time/clock.ts";
import type { Delivery } from "../records/delivery.ts";
import type { WireRequest } from "./wire.ts";
import type { WireObject } from "../../wire/json.ts";

/** A fault holds a call, or no longer does: the call was released or dropped. */
export interface HoldNotice {
  readonly kind: "held" | "released";
  readonly integration: string;
  readonly faultId: string;
  readonly operation: FaultyOperation;
  /** The call's idempotency key; null if the operation takes none. */
  readonly key: string | null;
  /** How many calls the fault holds now. */
  readonly held: number;
}

/** A fault was created, used or removed. A reset or a restore reports its own event instead. */
export interface FaultNotice {
  readonly kind: "fault";
  readonly integration: string | null;
  readonly change: "created" | "used" | "removed";
  /** The fault after the change. */
  readonly fault: Fault;
}

/** A user has moved, frozen or resumed the clock. */
export interface ClockNotice {
  readonly kind: "clock";
  readonly integration: null;
  readonly nowMs: number;
  readonly mode: ClockSetting["mode"];
}

/** Choices of an integration, or of all integrations without changes of their own (`null`), were changed. */
export interface AssumptionsNotice {
  readonly kind: "assumptions";
  readonly integration: string | null;
  readonly changes: AssumptionChanges;
}

/** A snapshot was saved, restored or deleted. */
export type SnapshotChange =
  | { readonly change: "saved" | "restored"; readonly snapshot: Snapshot }
  | { readonly change: "deleted"; readonly snapshot: SnapshotKey };

export type SnapshotNotice = SnapshotChange & {
  readonly kind: "snapshot";
  readonly integration: string | null;
};

/** An attempt of a delivery begins. */
export interface SentNotice {
  readonly kind: "sent";
  readonly integration: string;
  readonly delivery: Delivery;
  /** From 1 on. */
  readonly attemptNumber: number;
  /** Real time. */
  readonly atMs: number;
  /** Sandbox time; absent if it is the same. */
  readonly sandboxAtMs?: number | undefined;
  readonly isResend: boolean;
}

/** The gateway has responded to a request. */
export interface RequestNotice {
  readonly kind: "request";
  /** Null if the request named none. */
  readonly integration: string | null;
  readonly toWire: () => WireRequest;
}

/** The sandbox's own receiver got a webhook. */
export interface SinkNotice {
  readonly kind: "sink";
  /** Null if the webhook belongs to no delivery. */
  readonly integration: string | null;
  readonly toWire: (language: keyof LocalizedText) => WireObject;
}

/** A change that has no event number: only the listeners of that moment receive it. */
export type Notice =
  | HoldNotice
  | FaultNotice
  | ClockNotice
  | AssumptionsNotice
  | SnapshotNotice
  | SentNotice
  | RequestNotice
  | SinkNotice;

/** Passes notices to listeners. A change is published when it is durable, or if it is never stored: no rollback follows. */
export class Notices {
  readonly #listeners = new Set<(notice: Notice) => void>();

  publish(notice: Notice): void {
    for (const listener of this.#listeners) listener(notice);
  }

  /** Calls `listener` with each notice; the returned function removes it. */
  listen(listener: (notice: Notice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/**
 * Whether a notice concerns an integration (`null`: any). A change without an integration concerns each of them; a
 * request or a received webhook without one belongs to none.
 */
export function isNoticeOf(notice: Notice, integration: string | null): boolean {
  if (integration === null || notice.integration === integration) return true;
  return notice.integration === null && notice.kind !== "request" && notice.kind !== "sink";
}

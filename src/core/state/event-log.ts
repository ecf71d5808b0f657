import type { Change, Records } from "./records.ts";
import { eventsAfter, eventsOf, type StreamEvent } from "./stream-event.ts";
import type { AssumptionChanges } from "../assumptions/table.ts";
import type { FaultyOperation } from "../faults/effects.ts";
import type { Fault } from "../faults/fault.ts";
import type { Snapshot, SnapshotKey } from "./ports.ts";
import type { ClockSetting } from "../time/clock.ts";
import type { Delivery } from "../records/delivery.ts";
import type { WireObject } from "../../wire/json.ts";
import type { WireRequest } from "./wire.ts";
import type { Language } from "../../text/languages.ts";

/** The least number of recent changes in memory while there are listeners; slower readers use the records. */
const HELD = 5000;

/**
 * The one ordered stream of events, which the event stream, `webhooks tail` and `wait` read.
 *
 * Readers pull: each has its own position and requests the events after it, so that a slow reader
 * costs nothing and misses nothing.
 */
export class EventLog {
  readonly #records: Records;
  readonly #listeners = new Set<() => void>();
  readonly #observers: ((change: Change) => void)[] = [];
  /** Two halves; the older one is dropped when the newer one is full. */
  #older: Change[] = [];
  #newer: Change[] = [];
  /** All events after this number are in memory. */
  #heldAfter: number;

  constructor(records: Records) {
    this.#records = records;
    this.#heldAfter = records.lastEventNumber;
  }

  add(change: Change): void {
    for (const observe of this.#observers) observe(change);
    if (this.#listeners.size === 0) return;
    this.#newer.push(change);
    if (this.#newer.length >= HELD) {
      this.#heldAfter = lastNumberOf(this.#older) ?? this.#heldAfter;
      this.#older = this.#newer;
      this.#newer = [];
    }
    for (const listener of this.#listeners) listener();
  }

  /** Calls `observe` with each change from now on, as soon as it is applied. It costs no memory, and a rollback is not reported. */
  onChange(observe: (change: Change) => void): void {
    this.#observers.push(observe);
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#records.lastEventNumber;
  }

  /** Up to `limit` events after a number, oldest first. */
  after(number: number, limit: number): readonly StreamEvent[] {
    if (number >= this.#records.lastEventNumber) return [];
    if (!this.holdsAfter(number)) return eventsAfter(this.#records, number, limit);
    const newestFirst: StreamEvent[] = [];
    // Searched from the end, since readers are near it.
    search: for (const changes of [this.#newer, this.#older]) {
      for (let index = changes.length - 1; index >= 0; index--) {
        for (const event of eventsOf(changes[index] as Change).toReversed()) {
          if (event.number <= number) break search;
          newestFirst.push(event);
        }
      }
    }
    return newestFirst.toReversed().slice(0, limit);
  }

  /** Whether all events after a number are in memory; otherwise they must be read from the records. */
  holdsAfter(number: number): boolean {
    return number >= this.#heldAfter && this.#listeners.size > 0;
  }

  /** Calls `listener` whenever there are new events. @returns a function that stops it */
  onMore(listener: () => void): () => void {
    if (this.#listeners.size === 0) this.forgetHeld();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.forgetHeld();
    };
  }

  /** Drops the events in memory: after a rollback, or without listeners, they must be read from the records. */
  forgetHeld(): void {
    this.#older = [];
    this.#newer = [];
    this.#heldAfter = this.#records.lastEventNumber;
  }
}

function lastNumberOf(changes: readonly Change[]): number | undefined {
  for (let index = changes.length - 1; index >= 0; index--) {
    const last = eventsOf(changes[index] as Change).at(-1);
    if (last) return last.number;
  }
  return undefined;
}

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
interface ClockNotice {
  readonly kind: "clock";
  readonly integration: null;
  readonly nowMs: number;
  readonly mode: ClockSetting["mode"];
}

/** Choices of an integration, or of all integrations without changes of their own (`null`), were changed. */
interface AssumptionsNotice {
  readonly kind: "assumptions";
  readonly integration: string | null;
  readonly changes: AssumptionChanges;
}

/** A snapshot was saved, restored or deleted. */
export type SnapshotChange =
  | { readonly change: "saved" | "restored"; readonly snapshot: Snapshot }
  | { readonly change: "deleted"; readonly snapshot: SnapshotKey };

type SnapshotNotice = SnapshotChange & {
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
interface RequestNotice {
  readonly kind: "request";
  /** Null if the request named none. */
  readonly integration: string | null;
  readonly toWire: () => WireRequest;
}

/** The sandbox's own receiver got a webhook. */
interface SinkNotice {
  readonly kind: "sink";
  /** Null if the webhook belongs to no delivery. */
  readonly integration: string | null;
  readonly toWire: (language: Language) => WireObject;
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

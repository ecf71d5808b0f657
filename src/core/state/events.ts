import type { Delivery } from "../records/delivery.ts";
import type { Payin, Payout } from "../records/transaction.ts";
import { toEpochMs } from "../../wire/timestamp.ts";
import type { Change } from "./records.ts";
import type { Language } from "../../text/languages.ts";

/** A change of records, with the record as it is after the change. */
export type RecordEvent =
  | { readonly kind: "payin"; readonly integration: string; readonly payin: Payin }
  | { readonly kind: "payout"; readonly integration: string; readonly payout: Payout }
  | { readonly kind: "delivery"; readonly integration: string; readonly delivery: Delivery }
  /** An attempt has ended: the last one of the delivery. */
  | { readonly kind: "attempt"; readonly integration: string; readonly delivery: Delivery }
  /** All records of an integration (`null`: of all) were replaced. */
  | { readonly kind: "reset"; readonly integration: string | null };

/** An attempt of a delivery begins. */
export interface SentEvent {
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

/** What an event's data depends on when it is read. */
export interface EventReader {
  readonly language: Language;
  /** The keys of the calls that a fault holds. */
  readonly heldKeys: (faultId: string) => readonly (string | null)[];
}

/** Anything else that happens. Its publisher knows how it is shown. */
export interface OtherEvent {
  readonly kind:
    | "request"
    | "sink"
    | "held"
    | "released"
    | "fault"
    | "clock"
    | "assumptions"
    | "snapshot";
  readonly integration: string | null;
  /** The length of its long texts. */
  readonly size?: number | undefined;
  readonly toWire: (reader: EventReader) => object;
}

/** The reader's next events are no longer there, or its place is one of another process. */
interface MissedEvent {
  readonly kind: "missed";
  readonly integration: null;
}

export type SandboxEvent = RecordEvent | SentEvent | OtherEvent;

/** An event and its number. That of `missed` is the number before the next event. */
export interface NumberedEvent {
  readonly id: number;
  readonly event: SandboxEvent | MissedEvent;
}

interface Entry extends NumberedEvent {
  readonly event: SandboxEvent;
  readonly size: number;
}

const MOST = 10_000;
const MOST_BYTES = 16 << 20;
/** How much a reader takes at once. */
const BATCH = 100;
const BATCH_BYTES = 64 << 10;
/** An event without its long texts. */
const SMALL = 1000;

/**
 * Everything that happens, in order: one numbered ring in memory, for the event stream, `wait` and the log of `serve`.
 *
 * An event is added when it is durable. Readers pull, so that a slow one costs nothing; one that is further behind
 * than the ring gets `missed`, and reads the records again.
 */
export class Events {
  /** Names the numbers of this process. */
  readonly stream: string;
  /** Each at its number modulo the length. */
  readonly #ring: (Entry | undefined)[] = Array.from({ length: MOST });
  readonly #listeners = new Set<(event: SandboxEvent) => void>();
  /** All events with a greater number are in the ring. */
  #heldAfter: number;
  #last: number;
  #bytes = 0;

  /** @param start the number before the first event; another one in each process, so that no id fits two of them */
  constructor(start = 0) {
    this.stream = start.toString(36);
    this.#heldAfter = start;
    this.#last = start;
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#last;
  }

  /** Adds an event that no rollback can undo. */
  add(event: SandboxEvent): void {
    const size = SMALL + lengthOf(event);
    this.#last++;
    if (this.#last - this.#heldAfter > MOST) this.#dropOldest();
    this.#ring[this.#last % MOST] = { id: this.#last, event, size };
    this.#bytes += size;
    while (this.#bytes > MOST_BYTES) this.#dropOldest();
    for (const listener of this.#listeners) listener(event);
  }

  /** Calls `listener` with each event from now on. @returns a function that removes it */
  listen(listener: (event: SandboxEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * The events after a number that concern an integration (`null`: any), in batches, as they happen. Ends when `over`
   * aborts and there are no more.
   */
  async *after(
    id: number,
    integration: string | null,
    over: AbortSignal,
  ): AsyncGenerator<readonly NumberedEvent[], undefined> {
    let place = id;
    for (;;) {
      const batch: NumberedEvent[] = [];
      if (place < this.#heldAfter || place > this.#last) {
        place = this.#heldAfter;
        batch.push({ id: place, event: { kind: "missed", integration: null } });
      }
      for (let bytes = 0; place < this.#last && bytes < BATCH_BYTES && batch.length < BATCH;) {
        const entry = this.#ring[++place % MOST] as Entry;
        if (!concerns(entry.event, integration)) continue;
        batch.push(entry);
        bytes += entry.size;
      }
      if (batch.length > 0) yield batch;
      else if (over.aborted) return;
      else await this.#next(over);
    }
  }

  /** Resolves at the next event, or when `over` aborts. */
  async #next(over: AbortSignal): Promise<void> {
    let stop = (): void => undefined;
    await new Promise<void>((resolve) => {
      const stopListening = this.listen(() => resolve());
      const wake = (): void => resolve();
      over.addEventListener("abort", wake);
      stop = () => {
        stopListening();
        over.removeEventListener("abort", wake);
      };
    });
    stop();
  }

  #dropOldest(): void {
    const place = ++this.#heldAfter % MOST;
    this.#bytes -= this.#ring[place]?.size ?? 0;
    this.#ring[place] = undefined;
  }
}

/**
 * Whether an event concerns an integration (`null`: any). A change without an integration concerns each of them; a
 * request or a received webhook without one belongs to none.
 */
export function concerns(
  { kind, integration: owner }: SandboxEvent,
  integration: string | null,
): boolean {
  if (integration === null || owner === integration) return true;
  return owner === null && kind !== "request" && kind !== "sink";
}

/** Whether an event is a change of records. */
export function isRecordEvent(event: SandboxEvent): event is RecordEvent {
  return !("toWire" in event) && event.kind !== "sent";
}

/** The events of a change, in its order. */
export function eventsOf(change: Change): RecordEvent[] {
  const reset = change.find((put) => put[0] === "reset");
  // The events of the new records happened before.
  if (reset) return [{ kind: "reset", integration: reset[1] }];
  return change.flatMap(([table, row]): RecordEvent[] => {
    if (table === "transactions" && row) {
      const { integration } = row.record;
      return row.kind === "payin"
        ? [{ kind: row.kind, integration, payin: row.record }]
        : [{ kind: row.kind, integration, payout: row.record }];
    }
    if (table !== "deliveries" || !row) return [];
    const kind = row.attempts.length > 0 ? "attempt" : "delivery";
    return [{ kind, integration: row.integration, delivery: row }];
  });
}

/** The sandbox time of a change; undefined for a reset. */
export function timeOf(event: RecordEvent): number | undefined {
  switch (event.kind) {
    case "payin":
      return toEpochMs(event.payin.settled_at ?? event.payin.created_at);
    case "payout":
      return toEpochMs(event.payout.settled_at ?? event.payout.created_at);
    case "delivery":
      return event.delivery.createdAtMs;
    case "attempt": {
      const attempt = event.delivery.attempts.at(-1);
      return attempt?.sandboxAtMs ?? attempt?.atMs;
    }
    case "reset":
      return undefined;
  }
}

/** The length of an event's long texts. */
function lengthOf(event: SandboxEvent): number {
  if ("toWire" in event) return event.size ?? 0;
  if (event.kind === "payin") return JSON.stringify(event.payin).length;
  if (event.kind === "payout") return JSON.stringify(event.payout).length;
  if (event.kind === "reset") return 0;
  const { body, attempts } = event.delivery;
  return attempts.reduce((sum, { response }) => sum + (response?.length ?? 0), body.length);
}

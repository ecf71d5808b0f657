import type { Delivery } from "../records/delivery.ts";
import type { Payin, Payout } from "../records/transaction.ts";
import { toEpochMs } from "../../wire/timestamp.ts";
import type { Change, Records } from "./records.ts";
import { toWireFault, type WireSent } from "./wire.ts";
import type { Language } from "../../text/languages.ts";

/** What an event's data depends on when it is read. */
export interface EventReader {
  readonly language: Language;
  /** The keys of the calls that a fault holds. */
  readonly heldKeys: (faultId: string) => readonly (string | null)[];
}

/** What happened, with the record as it is then. */
export type SandboxEvent = (
  | { readonly kind: "payin"; readonly record: Payin }
  | { readonly kind: "payout"; readonly record: Payout }
  /** A webhook will be sent; its last attempt has ended. */
  | { readonly kind: "delivery" | "attempt"; readonly delivery: Delivery }
  /** An attempt begins. */
  | { readonly kind: "sent"; readonly sent: WireSent }
  /** All records of the integration (`null`: of all) were replaced. */
  | { readonly kind: "reset" }
  /** Anything else. Its publisher knows how it is shown. */
  | {
      readonly kind:
        | "request"
        | "sink"
        | "held"
        | "released"
        | "fault"
        | "clock"
        | "assumptions"
        | "snapshot";
      readonly toWire: (reader: EventReader) => object;
    }
) & {
  readonly integration: string | null;
  /** The length of its long texts. */
  readonly size?: number | undefined;
};

export type RecordEvent = Exclude<SandboxEvent, { readonly toWire: unknown }>;

/**
 * An event and its number. `missed`, with the number before the next event: those between are no longer there, or the
 * reader's place is one of another process.
 */
export interface NumberedEvent {
  readonly id: number;
  readonly event: SandboxEvent | { readonly kind: "missed"; readonly integration: null };
}

const MOST = 10_000;
const MOST_BYTES = 16 << 20;
/** How many events a reader takes at once. */
const BATCH = 100;
/** The size of an event without its long texts. */
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
  /** The newest events, those after {@link Events.#heldAfter}, each at its number modulo the length. */
  readonly #ring: ({ readonly event: SandboxEvent; readonly size: number } | undefined)[] =
    Array.from({ length: MOST + 1 });
  readonly #listeners = new Set<(event: SandboxEvent) => void>();
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
    const size = SMALL + (event.size ?? 0);
    this.#ring[++this.#last % this.#ring.length] = { event, size };
    this.#bytes += size;
    while (this.#last - this.#heldAfter > MOST || this.#bytes > MOST_BYTES) {
      const oldest = ++this.#heldAfter % this.#ring.length;
      this.#bytes -= this.#ring[oldest]?.size ?? 0;
      this.#ring[oldest] = undefined;
    }
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
    for (let place = id; ;) {
      const batch: NumberedEvent[] = [];
      if (place < this.#heldAfter || place > this.#last) {
        place = this.#heldAfter;
        batch.push({ id: place, event: { kind: "missed", integration: null } });
      }
      while (place < this.#last && batch.length < BATCH) {
        const event = this.#ring[++place % this.#ring.length]?.event;
        if (event && concerns(event, integration)) batch.push({ id: place, event });
      }
      if (batch.length > 0) yield batch;
      else if (over.aborted) return;
      else await this.#next(over);
    }
  }

  /** Resolves at the next event, or when `over` aborts. */
  #next(over: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        stopListening();
        over.removeEventListener("abort", end);
        resolve();
      };
      const stopListening = this.listen(end);
      over.addEventListener("abort", end);
    });
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

/** The events of a change, in its order. @param records as they are before it */
export function eventsOf(change: Change, { faults }: Pick<Records, "faults">): SandboxEvent[] {
  const events: SandboxEvent[] = [];
  for (const [table, row, key] of change) {
    // The events of the new records happened before.
    if (table === "reset") return [{ kind: "reset", integration: row }];
    if (table === "transactions" && row) {
      const { kind, record, request } = row;
      const { integration } = record;
      events.push({ kind, integration, record, size: request.length } as SandboxEvent);
    } else if (table === "deliveries" && row) {
      const { integration, body, attempts } = row;
      const size = attempts.reduce((sum, one) => sum + (one.response?.length ?? 0), body.length);
      const kind = attempts.length > 0 ? "attempt" : "delivery";
      events.push({ kind, integration, delivery: row, size });
    } else if (table === "faults") {
      const before = faults.get(row?.id ?? key ?? "");
      const fault = row ?? before;
      // Drawing a chance that does not act is no use.
      if (!fault || row?.used === before?.used) continue;
      // A reset or a restore has its own event instead.
      const happened = row ? (before ? "used" : "created") : "removed";
      const toWire = ({ heldKeys }: EventReader): object => ({
        change: happened,
        fault: toWireFault(fault, heldKeys(fault.id)),
      });
      events.push({ kind: "fault", integration: fault.integration, toWire });
    }
  }
  return events;
}

/** The sandbox time of a change of records; undefined for any other event. */
export function timeOf(event: RecordEvent, nowMs: number): number | undefined {
  if (event.kind === "reset") return nowMs;
  if ("record" in event) return toEpochMs(event.record.settled_at ?? event.record.created_at);
  if (!("delivery" in event)) return undefined;
  const attempt = event.delivery.attempts.at(-1);
  return attempt ? (attempt.sandboxAtMs ?? attempt.atMs) : event.delivery.createdAtMs;
}

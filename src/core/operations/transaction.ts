import { StorageError, type Store } from "../state/ports.ts";
import type { DueTasks } from "./due-tasks.ts";
import { type Events, eventsOf, type OtherEvent, type SandboxEvent } from "../state/events.ts";
import type { Change } from "../state/records.ts";
import type { Fault } from "../faults/fault.ts";
import { toWireFault } from "../state/wire.ts";

/**
 * Runs everything that the gateway does as transactions, one after another. A commit changes the store, schedules what is
 * due because of it, and reports its events.
 */
export class Transactions {
  readonly #store: Store;
  readonly #events: Events;
  readonly #due: Pick<DueTasks, "run" | "add">;
  /** The events of the commits that become durable together. */
  #unreported: SandboxEvent[] = [];
  #durable: Promise<void> | undefined;
  /** The deliveries since the last `#takeEarly` whose first attempt the response must wait for. */
  #early: string[] = [];
  /** Each checks again whether its wait for an attempt has ended. */
  readonly #untilAttempted = new Set<() => void>();
  #isStopped = false;

  constructor(parts: { store: Store; due: Pick<DueTasks, "run" | "add">; events: Events }) {
    this.#store = parts.store;
    this.#due = parts.due;
    this.#events = parts.events;
  }

  /**
   * Runs due tasks, then `decide`, which finds, decides and commits, all in the turn of the call.
   * @returns what `decide` returns, when everything that it may report is durable; also for reads and refusals
   */
  async transact<Result>(decide: () => Result): Promise<Result> {
    let result: Result;
    let early: readonly string[];
    try {
      this.#runDueTasks();
      // Deliveries that the clock triggered do not delay this response.
      this.#takeEarly();
      result = decide();
      early = this.#takeEarly();
    } catch (refusal) {
      await this.#store.durable();
      throw refusal;
    }
    if (!this.#store.isDurable) await this.#store.durable();
    if (early.length > 0) await this.#attempted(early);
    return result;
  }

  /** Ends all waits for attempts, so that the waiting calls get their responses. */
  stop(): void {
    this.#isStopped = true;
    for (const look of this.#untilAttempted) look();
  }

  /** A store that refuses changes still serves reads. */
  #runDueTasks(): void {
    try {
      this.#due.run();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  /** Resolves when each delivery was attempted, or will not be. */
  #attempted(ids: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        const isWaiting = ids.some(
          (id) => this.#store.records.deliveries.get(id)?.attempts.length === 0,
        );
        if (isWaiting && !this.#isStopped) return;
        stopListening();
        this.#untilAttempted.delete(look);
        resolve();
      };
      const stopListening = this.#events.listen(look);
      this.#untilAttempted.add(look);
      look();
    });
  }

  /** To be called by a `decide` function. @throws StorageError if the store refuses the change; nothing is changed then */
  commit(change: Change): void {
    const faults = this.#faultEventsOf(change);
    this.#store.commit(change);
    this.#due.add(change);
    for (const [table, row] of change)
      if (table === "deliveries" && row?.attempts.length === 0 && row.fault === "early")
        this.#early.push(row.id);
    this.report(faults ? [...eventsOf(change), ...faults] : eventsOf(change));
  }

  /** Adds the events of what was just committed when it is durable; after a rollback there are none. */
  report(events: readonly SandboxEvent[]): void {
    if (this.#store.isDurable) return this.#add(events);
    const durable = this.#store.durable();
    if (durable !== this.#durable) {
      const unreported: SandboxEvent[] = (this.#unreported = []);
      this.#durable = durable;
      durable.then(
        () => this.#add(unreported),
        () => undefined,
      );
    }
    this.#unreported.push(...events);
  }

  #add(events: readonly SandboxEvent[]): void {
    for (const event of events) this.#events.add(event);
  }

  /** Takes the ids of the deliveries that delay the response. */
  #takeEarly(): readonly string[] {
    const early = this.#early;
    if (early.length > 0) this.#early = [];
    return early;
  }

  /** What a change does to faults, compared with the records before it. */
  #faultEventsOf(change: Change): readonly SandboxEvent[] | undefined {
    // Nearly every change has none.
    if (!change.some(([table]) => table === "faults")) return undefined;
    return change.flatMap(([table, row, key]) => {
      if (table !== "faults") return [];
      const fault = row ?? this.#store.records.faults.get(key);
      if (!fault) return [];
      const earlier = this.#store.records.faults.get(fault.id);
      const what = row === null ? "removed" : earlier ? "used" : "created";
      // Drawing a chance that does not act is no use.
      if (what === "used" && earlier?.used === fault.used) return [];
      return [faultEvent(what, fault)];
    });
  }
}

/** A fault was created, used or removed. A reset or a restore has its own event instead. */
export function faultEvent(change: "created" | "used" | "removed", fault: Fault): OtherEvent {
  return {
    kind: "fault",
    integration: fault.integration,
    toWire: ({ heldKeys }) => ({ change, fault: toWireFault(fault, heldKeys(fault.id)) }),
  };
}

import { StorageError, type Store } from "../state/ports.ts";
import type { DueTasks } from "./due-tasks.ts";
import { type Events, eventsOf, type SandboxEvent } from "../state/events.ts";
import type { Change } from "../state/records.ts";

interface TransactionsParts {
  readonly store: Store;
  readonly due: Pick<DueTasks, "run" | "add">;
  readonly events: Events;
  /** Ends all waits for attempts, so that the waiting calls get their responses. */
  readonly closing: AbortSignal;
}

/**
 * Runs everything that the gateway does as transactions, one after another. A commit changes the store, schedules what is
 * due because of it, and reports its events.
 */
export class Transactions {
  readonly #parts: TransactionsParts;
  /** The events of the commits that become durable together. */
  #unreported: SandboxEvent[] = [];
  #durable: Promise<void> | undefined;
  /** The deliveries since the last `#takeEarly` whose first attempt the response must wait for. */
  #early: string[] = [];

  constructor(parts: TransactionsParts) {
    this.#parts = parts;
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
      await this.#parts.store.durable();
      throw refusal;
    }
    if (!this.#parts.store.isDurable) await this.#parts.store.durable();
    if (early.length > 0) await this.#attempted(early);
    return result;
  }

  /** A store that refuses changes still serves reads. */
  #runDueTasks(): void {
    try {
      this.#parts.due.run();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  /** Resolves when each delivery was attempted, or will not be. */
  async #attempted(ids: readonly string[]): Promise<void> {
    const { records } = this.#parts.store;
    const events = this.#parts.events.after(this.#parts.events.last, null, this.#parts.closing);
    while (ids.some((id) => records.deliveries.get(id)?.attempts.length === 0))
      if ((await events.next()).done) return;
  }

  /** To be called by a `decide` function. @throws StorageError if the store refuses the change; nothing is changed then */
  commit(change: Change): void {
    const events = eventsOf(change, this.#parts.store.records);
    this.#parts.store.commit(change);
    this.#parts.due.add(change);
    for (const [table, row] of change)
      if (table === "deliveries" && row?.attempts.length === 0 && row.fault === "early")
        this.#early.push(row.id);
    this.report(events);
  }

  /** Adds the events of what was just committed when it is durable; after a rollback there are none. */
  report(events: readonly SandboxEvent[]): void {
    if (this.#parts.store.isDurable) return this.#add(events);
    const durable = this.#parts.store.durable();
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
    for (const event of events) this.#parts.events.add(event);
  }

  /** Takes the ids of the deliveries that delay the response. */
  #takeEarly(): readonly string[] {
    const early = this.#early;
    if (early.length > 0) this.#early = [];
    return early;
  }
}

import { StorageError, type Store } from "../state/ports.ts";
import type { DueTasks } from "./due-tasks.ts";
import { type Events, eventsOf, type SandboxEvent } from "../state/events.ts";
import type { Change } from "../state/records.ts";

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
  readonly #closing: AbortSignal;

  /** @param parts.closing ends all waits for attempts, so that the waiting calls get their responses */
  constructor(parts: {
    store: Store;
    due: Pick<DueTasks, "run" | "add">;
    events: Events;
    closing: AbortSignal;
  }) {
    this.#store = parts.store;
    this.#due = parts.due;
    this.#events = parts.events;
    this.#closing = parts.closing;
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

  /** A store that refuses changes still serves reads. */
  #runDueTasks(): void {
    try {
      this.#due.run();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  /** Resolves when each delivery was attempted, or will not be. */
  async #attempted(ids: readonly string[]): Promise<void> {
    const { records } = this.#store;
    const events = this.#events.after(this.#events.last, null, this.#closing);
    while (ids.some((id) => records.deliveries.get(id)?.attempts.length === 0))
      if ((await events.next()).done) return;
  }

  /** To be called by a `decide` function. @throws StorageError if the store refuses the change; nothing is changed then */
  commit(change: Change): void {
    const events = eventsOf(change, this.#store.records);
    this.#store.commit(change);
    this.#due.add(change);
    for (const [table, row] of change)
      if (table === "deliveries" && row?.attempts.length === 0 && row.fault === "early")
        this.#early.push(row.id);
    this.report(events);
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
}

import { behaviorOf } from "../faults/effects.ts";
import type { Store } from "../ports.ts";
import type { Scheduler } from "../time/scheduler.ts";
import { EventLog } from "./event-log.ts";
import type { Change } from "./records.ts";

/** Commits changes: applies them to the store, schedules their due tasks, and reports their events. */
export class Committer {
  readonly eventLog: EventLog;
  readonly #store: Store;
  readonly #scheduler: Scheduler;
  /** The deliveries since the last {@link takeEarly} whose first attempt the response must wait for. */
  #early: string[] = [];

  constructor({ store, scheduler }: { store: Store; scheduler: Scheduler }) {
    this.#store = store;
    this.#scheduler = scheduler;
    this.eventLog = new EventLog(store.records);
    store.onRollback = () => this.eventLog.forgetHeld();
  }

  /** @throws StorageError if the store refuses the change; nothing is changed then */
  commit(change: Change): void {
    this.#store.commit(change);
    this.#scheduler.schedule(change);
    for (const { id, fault, attempts } of change.deliveries ?? [])
      if (attempts.length === 0 && behaviorOf(fault).delaysAnswer) this.#early.push(id);
    this.eventLog.add(change);
  }

  /** Takes the ids of the deliveries that delay the response. */
  takeEarly(): readonly string[] {
    const early = this.#early;
    if (early.length > 0) this.#early = [];
    return early;
  }
}

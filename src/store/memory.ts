import type { Change } from "../core/records.ts";
import { Records } from "../core/records.ts";
import type { Store } from "../core/ports.ts";

/** Keeps nothing beyond the process: what is applied is as durable as it gets. */
export class MemoryStore implements Store {
  readonly records: Records;
  #turn: Promise<void> | undefined;

  constructor(records = new Records()) {
    this.records = records;
  }

  commit(change: Change): void {
    this.records.apply(change);
  }

  /** Answers of one turn of the event loop leave together: waking once for all of them is what makes it fast. */
  durable(): Promise<void> {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = undefined;
        resolve();
      });
    });
    return this.#turn;
  }

  async close(): Promise<void> {}
}

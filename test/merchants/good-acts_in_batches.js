import { open, Shop } from "./shop.js";

const PAUSE_MS = 4500;

class Merchant extends Shop {
  #nextMs = 0;

  /** Stores what is genuine. It is processed at once, but not sooner than a pause after what was before. */
  async receive(body, headers) {
    if (!this.isGenuine(body, headers)) return 401;
    const event = JSON.parse(body);
    this.books.transact((tables) => ((tables.inbox ??= {})[event.id] = event));
    this.#plan();
    return 200;
  }

  resume() {
    super.resume();
    this.#plan();
  }

  #plan() {
    const waitMs = this.#nextMs - Date.now();
    if (waitMs > PAUSE_MS) return;
    this.#nextMs = Math.max(this.#nextMs, Date.now()) + PAUSE_MS;
    setTimeout(() => this.#processAll(), waitMs);
  }

  #processAll() {
    const inbox = this.books.tables.inbox ?? {};
    for (const event of Object.values(inbox)) {
      const isKnown = this.apply(event) !== this.statusOfUnknown();
      const isOld = Date.now() - Date.parse(event.created_at) > PAUSE_MS * 3;
      if (isKnown || isOld) this.books.transact((tables) => delete tables.inbox[event.id]);
    }
    // What it does not know yet.
    if (Object.keys(this.books.tables.inbox ?? {}).length > 0) this.#plan();
  }
}

open(Merchant);
